import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { extraRoutes, publicOperations, wireOperations } from '@switchboard/contracts';
import { expect, test } from 'vitest';
import { caddyfile } from './caddyfile.ts';
import { pattern, publicHosts, routesOf } from './routes.ts';

test('the Caddyfile matches the contracts; `node deploy/gateway/src/main.ts` updates it', async () => {
  const written = await readFile(join(import.meta.dirname, '../Caddyfile'), 'utf8');
  expect(written).toBe(await caddyfile());
});

test('the Caddyfile routes every path of the interface on its host, and no management path', () => {
  const routed = publicHosts.flatMap((host) => routesOf(host).map(({ path }) => path));
  const expected = [...publicOperations, ...wireOperations, ...extraRoutes].map(({ path }) => path);
  expect([...new Set(routed)].sort()).toEqual([...new Set(expected)].sort());
  expect(routed.filter((path) => path.startsWith('/management'))).toEqual([]);
});

test.each([
  ['/v1/flags', '/v1/flags', true],
  ['/v1/flags', '/v1/flags?distinct_id=a/b', true],
  ['/v1/flags', '/v1/flags/', false],
  ['/v1/flags', '/v1/flagsy', false],
  ['/v1/flags', '/prefix/v1/flags', false],
  ['/v1/conversations/{id}', '/v1/conversations/cnv_1', true],
  ['/v1/conversations/{id}', '/v1/conversations/a%2Fb', true],
  ['/v1/conversations/{id}', '/v1/conversations/a/b', false],
  ['/v1/conversations/{id}', '/v1/conversations/', false],
  ['/v1/conversations/{id}', '/v1/conversations/?a=b', false],
  ['/v1/a.b', '/v1/axb', false],
])('the matcher %s matches a request for %s: %s', (path, sent, isIt) => {
  expect(new RegExp(pattern(path)).test(sent)).toBe(isIt);
});
