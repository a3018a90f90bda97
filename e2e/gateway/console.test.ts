import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, gatewayPorts, hasCaddy, startGateway } from '../harness/gateway.ts';

describe.skipIf(!hasCaddy())('the host of the console', () => {
  let console: Server;
  let gateway: Gateway;
  let without: Gateway;
  beforeAll(async () => {
    console = createServer(({ url, headers }, response) =>
      response.writeHead(200, { 'X-Frame-Options': 'DENY' }).end(`${url} for ${headers['x-forwarded-for']}`),
    );
    await new Promise<void>((resolve) => console.listen(0, '127.0.0.1', resolve));
    const { port } = console.address() as AddressInfo;
    const start = async (env: Record<string, string>) =>
      startGateway(new Map(), await gatewayPorts(), tmpdir(), env);
    [gateway, without] = await Promise.all([start({ CONSOLE_UPSTREAMS: `127.0.0.1:${port}` }), start({})]);
  });
  afterAll(async () => {
    await Promise.all([gateway?.stop(), without?.stop()]);
    console.close();
  });

  it.each(['/', '/projects/p/flags?open=a', '/session/token', '/assets/a.js', '/docs', '/openapi.json'])(
    'passes %s to the console',
    async (path) => {
      const answer = await fetch(gateway.console + path);
      expect(await answer.text()).toBe(`${path} for 127.0.0.1`);
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    },
  );

  it.each(['/metrics', '/health/ready'])('keeps %s of its instances internal', async (path) => {
    const answer = await fetch(gateway.console + path);
    expect([answer.status, await answer.json()]).toMatchObject([404, { error: { code: 'NOT_FOUND' } }]);
  });

  it('refuses a large body', async () => {
    const answer = await fetch(`${gateway.console}/session/token`, {
      method: 'POST',
      body: 'a'.repeat(20_000),
    });
    expect(answer.status).toBe(413);
  });

  it('passes /mcp of the API host to the console, with a body of up to 262,144 bytes', async () => {
    const send = (bytes: number) =>
      fetch(`${gateway.api}/mcp?write=true`, { method: 'POST', body: 'a'.repeat(bytes) });
    expect(await (await send(200_000)).text()).toBe('/mcp?write=true for 127.0.0.1');
    expect((await send(262_145)).status).toBe(413);
    expect((await fetch(`${gateway.api}/mcp/a`)).status).toBe(404);
  });

  it('has no /mcp in a deployment without the console', async () => {
    const answer = await fetch(`${without.api}/mcp`, { method: 'POST', body: '{}' });
    expect([answer.status, await answer.json()]).toMatchObject([404, { error: { code: 'NOT_FOUND' } }]);
  });

  it('answers 503 in a deployment without the console', async () => {
    const answer = await fetch(`${without.console}/`);
    expect([answer.status, await answer.json()]).toMatchObject([503, { error: { code: 'UNAVAILABLE' } }]);
  });
});
