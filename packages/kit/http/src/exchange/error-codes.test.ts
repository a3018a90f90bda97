import { afterAll, beforeAll, expect, test } from 'vitest';
import { json, KEY, OTHER_REGION_KEY, startTestApp, type TestApp } from '../testing/test-app.ts';

let running: TestApp;
beforeAll(async () => {
  running = await startTestApp();
});
afterAll(() => running.stop());

async function codeOf(outcome: string, key?: string): Promise<[number, string]> {
  const headers: Record<string, string> = key === undefined ? {} : { Authorization: `Bearer ${key}` };
  const response = await fetch(`${running.url}/files/${outcome}`, { method: 'POST', headers });
  return [response.status, (await json(response)).error.code];
}

test('an operation can replace the error codes of the kit, including that of a defect', async () => {
  expect(await codeOf('large', OTHER_REGION_KEY)).toEqual([403, 'FILES_OFF']);
  expect(await codeOf('large', KEY)).toEqual([413, 'FILE_TOO_LARGE']);
  expect(await codeOf('limited', KEY)).toEqual([429, 'FILE_RATE']);
  expect(await codeOf('defect', KEY)).toEqual([500, 'FILE_FAILED']);
});

test('answers 503 with Retry-After for a dependency that fails', async () => {
  const response = await fetch(`${running.url}/files/unstored`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${KEY}` },
  });
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2']);
  expect(await response.text()).not.toContain('SlowDown');
});

test('keeps the code of the kit or of a rule otherwise', async () => {
  expect(await codeOf('large')).toEqual([401, 'UNAUTHORIZED']);
  expect(await codeOf('malformed', KEY)).toEqual([400, 'BAD_REQUEST']);
  expect(await codeOf('named', KEY)).toEqual([403, 'FILE_OWN']);
});

test('a key checked outside an operation gets the same errors', async () => {
  const { app } = running;
  await expect(app.projectKey(KEY)).resolves.toMatchObject({ id: 'p1' });
  await expect(app.projectKey(OTHER_REGION_KEY)).rejects.toMatchObject({ status: 403 });
  for (const key of [undefined, '', 'nonsense']) {
    await expect(app.projectKey(key)).rejects.toMatchObject({ status: 401 });
  }
});
