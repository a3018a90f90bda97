import { serviceOperations } from '@switchboard/contracts';
import { expect, test } from 'vitest';
import { useMessenger } from './testing/messenger.ts';

const messenger = await useMessenger();

test('implements exactly the operations of the contracts that belong to messenger', () => {
  const ids = (operations: readonly { operationId: string }[]) =>
    operations.map((one) => one.operationId).sort();
  const all = serviceOperations('messenger');
  expect(ids(messenger.service.app.implemented)).toEqual(ids(all));
  expect(all.length).toBeGreaterThan(20);
});

test('serves readiness, metrics and its OpenAPI document', async () => {
  expect((await messenger.call('GET', '/health/ready')).status).toBe(200);
  expect((await messenger.call('GET', '/metrics')).bytes.toString()).toContain('switchboard_sockets');
  const { body } = await messenger.call('GET', '/openapi.json');
  expect(Object.keys(body.paths)).toContain('/v1/conversations/{id}/turns');
});

test('refuses a setting without the settings it requires, by name', async () => {
  for (const [name, missing] of [
    ['S3_ENDPOINT', 'S3_BUCKET: required, since S3_ENDPOINT is set'],
    ['AI_BASE_URL', 'AI_MODEL: required, since AI_BASE_URL is set'],
    ['HELP_SITE_URL', 'HELP_SITE_TOKEN: required, since HELP_SITE_URL is set'],
  ] as const) {
    await expect(messenger.startInstance({ [name]: 'http://127.0.0.1:9' })).rejects.toThrow(missing);
  }
  await expect(messenger.startInstance({ IDENTITY_SECRET: 'short' })).rejects.toThrow('IDENTITY_SECRET');
  const needsRedis = 'REDIS_URL: required if WORKERS is above 1';
  await expect(messenger.startInstance({ WORKERS: '2' })).rejects.toThrow(needsRedis);
});

test('answers 401 to a revoked key', async () => {
  const project = await messenger.createProject();
  const open = () =>
    messenger.call('POST', '/v1/conversations', { token: project.key, body: { distinctId: 'ada' } });
  expect((await open()).status).toBe(201);
  await messenger.removeKey(project);
  await expect.poll(async () => (await open()).status, { timeout: 5000 }).toBe(401);
});
