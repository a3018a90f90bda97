import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import type { ServiceName } from '@switchboard/contracts';
import { eventually, freePort } from '@switchboard/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { gatewayPorts, hasCaddy, startGateway } from '../harness/gateway.ts';

test.skipIf(!hasCaddy())(
  'a stopping gateway answers requests and closes client connections for SHUTDOWN_DELAY',
  async () => {
    const port = await freePort();
    const pod = createServer((_, response) => void response.end('here')).listen(port, '127.0.0.1');
    onTestFinished(() => void pod.close());
    const upstreams = new Map<ServiceName, string[]>([['flags', [`http://127.0.0.1:${port}`]]]);
    const gateway = await startGateway(upstreams, await gatewayPorts(), tmpdir(), { SHUTDOWN_DELAY: '5s' });
    onTestFinished(() => gateway.stop());

    const ask = async () => {
      const answer = await fetch(`${gateway.api}/v1/flags`);
      return [answer.status, await answer.text(), answer.headers.get('connection')];
    };
    expect(await ask()).toEqual([200, 'here', null]);
    const left = gateway.leave();
    await eventually(async () => expect(await ask()).toEqual([200, 'here', 'close']));
    await left;
    await expect(ask()).rejects.toThrow('fetch failed');
  },
);
