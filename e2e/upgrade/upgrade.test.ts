import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Deployment } from '../harness/deployment.ts';
import { createProject, managementClient } from '../harness/project.ts';
import { openSocket } from '../harness/socket.ts';
import { deployInPairs, PARTS, runRollingUpgrade } from './rolling-upgrade.ts';

const deployment = await deployInPairs();
afterAll(() => deployment?.stop(), 60_000);

function deployed(): Deployment {
  if (deployment === undefined) throw new Error('no deployment');
  return deployment;
}

describe.skipIf(deployment === undefined)('two instances of every service behind the gateway', () => {
  // Not retried, because the instances already run the next version by then.
  test('a rolling upgrade with migrations fails no request and loses no data', {
    retry: 0,
    timeout: 480_000,
  }, async () => {
    const result = await runRollingUpgrade(deployed());
    const { requests, accepted, socketCodes, exitCodes, migratedWhileServing, logged, ...problems } = result;
    expect(problems, logged.join('\n')).toEqual({
      failures: [],
      lostEvents: [],
      duplicateEvents: [],
      unarchivedEvents: [],
      archivedTwice: [],
      lostTraits: [],
      lostTurns: [],
      duplicateTurns: [],
      undeliveredTurns: [],
      lostComments: [],
      lostAnnotations: [],
    });
    expect(exitCodes).toEqual(Array.from({ length: 2 * PARTS.length }, () => 0));
    expect(migratedWhileServing).toHaveLength(5);
    // 1001 tells clients to reconnect. No socket may close without it.
    expect(new Set(socketCodes)).toEqual(new Set([1001]));
    expect(Object.values(requests).every((count) => count > 0)).toBe(true);
    expect(Object.values(accepted).every((count) => count > 0)).toBe(true);
  });

  test('a rate limit counts the requests of all instances', async () => {
    const statuses: number[] = [];
    for (let i = 0; i < 40; i++) {
      const instance = deployed().serving('collaboration')[i % 2];
      const { status } = await fetch(`${instance?.url}/v1/shared-reports/${'a'.repeat(43)}`, {
        headers: { 'X-Forwarded-For': '203.0.113.9' },
      });
      statuses.push(status);
    }
    expect(statuses.filter((status) => status === 404)).toHaveLength(30);
    expect(statuses.filter((status) => status === 429)).toHaveLength(10);
  });

  test('an event at one instance reaches sockets of the other instance', async () => {
    const project = await createProject(deployed(), { id: 'live', region: 'eu' });
    const manage = await managementClient(deployed());
    await manage('messenger', 'PUT', `/projects/${project.id}/team/grace`, { name: 'Grace' });
    const [, messenger] = deployed().serving('messenger');
    const opened = await fetch(`${messenger?.url}/v1/conversations`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${project.key}` },
      body: '{"distinctId":"visitor"}',
    });
    const { conversationId, token } = z
      .object({ conversationId: z.string(), token: z.string() })
      .parse(await opened.json());
    const visitor = await openSocket(`${messenger?.url}/v1/messenger/socket?api_key=${project.key}`);
    visitor.send({ type: 'subscribe', conversationId, token });
    await visitor.next('subscribed');
    const turns = `/projects/${project.id}/conversations/${conversationId}/turns`;
    await manage('messenger', 'POST', turns, { authorId: 'grace', body: 'Hello from the first.' });
    expect(await visitor.next('turn')).toMatchObject({ turn: { body: 'Hello from the first.' } });
    visitor.close();

    const [, flags] = deployed().serving('flags');
    const sdk = await openSocket(`${flags?.url}/v1/flags/socket?api_key=${project.key}`);
    await sdk.next('ready');
    await manage('flags', 'PUT', `/projects/${project.id}/flags/beta`, {
      enabled: true,
      rolloutPercentage: 100,
    });
    await sdk.next('flags_changed');
    sdk.close();
  });
});
