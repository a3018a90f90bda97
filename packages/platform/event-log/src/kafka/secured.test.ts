import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort, type KafkaServer, startKafka } from '@switchboard/testkit';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const client = fileURLToPath(new URL('../testing/secured-client.ts', import.meta.url));
const password = 'correct-horse';

describe('brokers with TLS and SASL', () => {
  let kafka: KafkaServer | undefined;
  let broker: string;
  let folder: string;

  beforeAll(async () => {
    const { cert, private: key } = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
    });
    folder = await mkdtemp(join(tmpdir(), 'secured-'));
    await writeFile(join(folder, 'authority.pem'), cert);
    const port = await freePort();
    broker = `127.0.0.1:${port}`;
    kafka = await startKafka({ port, tls: { certificate: cert, key }, username: 'switchboard', password });
  });
  afterAll(async () => {
    await kafka?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function said(mechanism: string, secret: string, trusted = true): Promise<string> {
    const env = trusted ? { NODE_EXTRA_CA_CERTS: join(folder, 'authority.pem') } : {};
    const { stdout } = await promisify(execFile)('node', [client, broker, mechanism, secret], {
      env: { PATH: process.env['PATH'], ...env },
      timeout: 60_000,
    });
    return stdout;
  }

  it.each(['scram-sha-512', 'plain'])('exchanges records with brokers with %s', async (mechanism) => {
    if (kafka === undefined) return;
    expect(await said(mechanism, password)).toContain(mechanism);
  });

  it('fails with a wrong password, and without a trusted authority', async () => {
    if (kafka === undefined) return;
    expect(await said('scram-sha-512', 'wrong')).toMatch(/^EventLogUnavailable: /);
    expect(await said('scram-sha-512', password, false)).toMatch(/^EventLogUnavailable: /);
  });
});
