import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { createClient, ManagementError } from '@switchboard/management';
import { expect, it, onTestFinished } from 'vitest';
import { applyManifest } from './apply.ts';
import { parseManifest } from './manifest.ts';

const manifest = parseManifest(`
companies:
  - id: co
    name: Company
    plan: { tier: pro, cycle: monthly }
    projects:
      - id: p
        name: Project
        region: eu
        defaultLanguage: en
        articleSearch: { on: true, placement: tab }
`);

/** Starts a deployment that stores what it gets, and refuses article search this many times. */
async function deployment(refusals: number, stored = new Map<string, object>()) {
  let refused = 0;
  const server = createServer(async (request, response) => {
    const { method, url = '' } = request;
    const answer = (status: number, body: object) => response.writeHead(status).end(JSON.stringify(body));
    const found = stored.get(url);
    if (method === 'GET') return void (found === undefined ? answer(404, {}) : answer(200, found));
    const body = Object(await json(request));
    if (url.endsWith('/article-search') && refused < refusals) {
      refused += 1;
      return void answer(402, {
        error: { code: 'PLAN_REQUIRED', message: 'Your plan does not include it.' },
      });
    }
    stored.set(url, body);
    answer(200, body);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { client: createClient({ token: 't', url }), stored, refused: () => refused };
}

it('waits until article search is in the plan that was written just before', async () => {
  const { client } = await deployment(3);
  const outcomes = await applyManifest(manifest, { client });
  expect(outcomes.map(({ kind, change }) => [kind, change])).toEqual([
    ['company', 'created'],
    ['project', 'created'],
    ['article-search', 'created'],
  ]);
});

it('refuses article search at once if the plan was written long before', async () => {
  const { client, stored } = await deployment(0);
  await applyManifest(manifest, { client });
  for (const url of stored.keys()) if (url.endsWith('/article-search')) stored.delete(url);
  const { client: later, refused } = await deployment(2, stored);
  await expect(applyManifest(manifest, { client: later })).rejects.toThrow(ManagementError);
  expect(refused()).toBe(1);
});

it('ends with the refusal if the plan does not include article search after some seconds', async () => {
  const { client, refused } = await deployment(Number.POSITIVE_INFINITY);
  await expect(applyManifest(manifest, { client })).rejects.toThrow('Your plan does not include it.');
  expect(refused()).toBeGreaterThan(3);
});
