import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Deployment } from '../harness/deployment.ts';
import { createProject, managing } from '../harness/project.ts';
import { openSocket } from '../harness/socket.ts';
import { deployTwoOfEverything, PARTS, runTrial } from './trial.ts';

const deployment = await deployTwoOfEverything();
afterAll(() => deployment?.stop(), 60_000);

function there(): Deployment {
  if (deployment === undefined) throw new Error('no deployment');
  return deployment;
}

describe.skipIf(deployment === undefined)('two of everything behind the gateway', () => {
  test('every instance is upgraded in turn, migrations and all: no request fails and nothing is lost', async () => {
    const trial = await runTrial(there(), { rounds: 1, atOnce: PARTS.length, intensity: 1 });
    const { requests, accepted, socketCodes, exitCodes, migratedWhileServing, ...problems } = trial;
    expect(problems).toEqual({
      failures: [],
      lostEvents: [],
      doubledEvents: [],
      unarchivedEvents: [],
      archivedTwice: [],
      lostTraits: [],
      lostTurns: [],
      doubledTurns: [],
      unheardTurns: [],
      lostComments: [],
      lostAnnotations: [],
    });
    expect(exitCodes).toEqual(Array.from({ length: 2 * PARTS.length }, () => 0));
    expect(migratedWhileServing).toHaveLength(5);
    // A live channel is told to come back; it is never cut.
    expect(new Set(socketCodes)).toEqual(new Set([1001]));
    expect(Object.values(requests).every((count) => count > 0)).toBe(true);
    expect(Object.values(accepted).every((count) => count > 0)).toBe(true);
  }, 240_000);

  test('a rate is counted over all instances', async () => {
    const project = await createProject(there(), { id: 'limited', region: 'eu' });
    const statuses: number[] = [];
    for (let i = 0; i < 40; i++) {
      const instance = there().serving('messenger')[i % 2];
      const { status } = await fetch(`${instance?.url}/v1/conversations`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${project.key}`, 'X-Forwarded-For': '203.0.113.9' },
        body: '{"distinctId":"visitor"}',
      });
      statuses.push(status);
    }
    expect(statuses.filter((status) => status === 201)).toHaveLength(30);
    expect(statuses.filter((status) => status === 429)).toHaveLength(10);
  });

  test('what happens at one instance is told live by the other', async () => {
    const project = await createProject(there(), { id: 'live', region: 'eu' });
    const manage = await managing(there());
    await manage('messenger', 'PUT', `/projects/${project.id}/team/grace`, { name: 'Grace' });
    const [, messenger] = there().serving('messenger');
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

    const [, flags] = there().serving('flags');
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
