import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { parseEnv, promisify } from 'node:util';
import type { ServiceName } from '@switchboard/contracts';
import { catalogueService } from '@switchboard/service-catalogue';
import {
  documented,
  eventually,
  freePort,
  type Harness,
  openHarness,
  type Program,
} from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, gatewayPorts, hasCaddy, startGateway } from '../harness/gateway.ts';
import { REPOSITORY } from '../harness/repository.ts';

const run = promisify(execFile);
const hasPrograms = hasCaddy() && existsSync('/usr/bin/openssl');

describe.skipIf(!hasPrograms)('a service with TLS and a client certificate authority', () => {
  let harness: Harness;
  let folder: string;
  let port: number;
  let service: Program;
  let gateway: Gateway;
  const file = (name: string) => join(folder, name);
  const make = (name: string, into = folder) =>
    run(join(REPOSITORY, 'deploy/tls/make.sh'), [into, name, 'localhost', '127.0.0.1']);

  beforeAll(async () => {
    harness = await openHarness({ services: { catalogue: catalogueService } });
    folder = join(harness.folder, 'tls');
    await make('catalogue');
    await make('gateway');
    await make('stranger', file('other'));
    port = await freePort();
    const { UPSTREAM_TLS = '', ...env } = parseEnv(
      documented('docs/security.md#mutual-tls', 'env')
        .replaceAll('/tls/flags', '/tls/catalogue')
        .replaceAll('/tls/', `${folder}/`),
    );
    service = await harness.spawn('catalogue', {
      port,
      ready: () => ask('gateway', '/health/ready'),
      env: { PORT: String(port), ...env },
    });
    const upstreams = new Map<ServiceName, string[]>([['catalogue', [`http://127.0.0.1:${port}`]]]);
    gateway = await startGateway(upstreams, await gatewayPorts(), folder, { UPSTREAM_TLS });
  });
  afterAll(async () => {
    await gateway?.stop();
    await harness?.stop();
  });

  /** Sends a request to the service with this client certificate. Rejects unless the response is a 200. */
  async function ask(name: string | undefined, path: string): Promise<void> {
    const own = name && {
      cert: await readFile(file(`${name}.pem`)),
      key: await readFile(file(`${name}.key`)),
    };
    const ca = await readFile(file('ca.pem'));
    await new Promise<void>((resolve, reject) => {
      request({ host: '127.0.0.1', port, path, ca, agent: false, ...own }, (answer) => {
        answer.resume();
        if (answer.statusCode === 200) resolve();
        else reject(new Error(`status ${answer.statusCode}`));
      })
        .on('error', reject)
        .end();
    });
  }

  async function serialNumber(): Promise<string> {
    const options = { cert: await readFile(file('gateway.pem')), key: await readFile(file('gateway.key')) };
    const socket = await new Promise<TLSSocket>((resolve, reject) => {
      const opened = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options }, () =>
        resolve(opened),
      );
      opened.on('error', reject);
    });
    const { serialNumber: number } = socket.getPeerCertificate();
    socket.destroy();
    return number;
  }

  const health = () =>
    run(process.execPath, [join(REPOSITORY, 'deploy/docker/health.mjs'), 'live'], {
      env: { PORT: String(port), TLS_CERT_FILE: file('catalogue.pem'), TLS_KEY_FILE: file('catalogue.key') },
    });

  it('answers clients that have a certificate, and the health check of its container', async () => {
    await expect(ask('gateway', '/v1/plans')).resolves.toBeUndefined();
    await expect(health()).resolves.toMatchObject({ stderr: '' });
  });

  it('refuses clients without a certificate, with a certificate of another authority, and plain HTTP', async () => {
    await expect(ask(undefined, '/v1/plans')).rejects.toThrow();
    await expect(ask('other/stranger', '/v1/plans')).rejects.toThrow();
    await expect(fetch(`http://127.0.0.1:${port}/v1/plans`)).rejects.toThrow();
  });

  it('the gateway reaches the service, and its health checks pass', async () => {
    await eventually(async () => {
      const answer = await fetch(`${gateway.api}/v1/plans`);
      expect(await answer.json()).toEqual({ plans: [] });
    });
  });

  it('uses a new certificate without a restart', async () => {
    const before = await serialNumber();
    await make('catalogue');
    await eventually(async () => expect(await serialNumber()).not.toBe(before), { withinMs: 20_000 });
    await ask('gateway', '/v1/plans');
    expect(service.lines.join('\n')).toContain('using the new ones');
  });
});
