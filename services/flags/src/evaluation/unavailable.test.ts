import { eventually, type PostgresServer, postgresServer } from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { json, startWorld, type TestProject, type World } from '../testing/world.ts';

let server: PostgresServer;
let world: World;
let project: TestProject;
beforeAll(async () => {
  server = await postgresServer(['flags']);
  world = await startWorld({ databaseUrl: server.url('flags'), env: { STATE_TIMEOUT_MS: '300' } });
  project = await world.createProject();
  const on = { enabled: true, rolloutPercentage: 100 };
  await world.putFlag(project, { key: 'everyone', ...on });
  await world.putFlag(project, {
    key: 'pro',
    ...on,
    targeting: [{ attribute: 'plan', op: 'eq', value: 'pro' }],
  });
  await world.putFlag(project, {
    key: 'not-blocked',
    ...on,
    targeting: [{ attribute: 'blocked', op: 'is_not_set' }],
  });
  await world.identify(project, 'ada', { plan: 'pro' });
  await eventually(async () => expect(await flagsOf('ada')).toMatchObject({ flags: { pro: true } }));
  await world.get('/v1/flags/snapshot', project.key);
});
afterAll(async () => {
  await world.stop();
  await server.remove();
});

async function flagsOf(distinctId: string) {
  const response = await world.get(`/v1/flags?distinct_id=${distinctId}`, project.key);
  const { flags } = await json(response);
  return { status: response.status, state: response.headers.get('x-state'), flags };
}

const known = { status: 200, state: null, flags: { everyone: true, pro: true, 'not-blocked': true } };
const unknown = {
  status: 200,
  state: 'unavailable',
  flags: { everyone: true, pro: false, 'not-blocked': false },
};

describe('while the database is away', () => {
  it('(stopped) flags are answered without the person, the snapshot as ever, the rest is told 503', async () => {
    expect(await flagsOf('ada')).toEqual(known);
    await server.stop();
    for (let attempt = 0; attempt < 5; attempt++) expect(await flagsOf('ada')).toEqual(unknown);
    const snapshot = await world.get('/v1/flags/snapshot', project.key);
    expect(await json(snapshot)).toMatchObject({ flags: [{ key: 'everyone' }, {}, {}] });
    const memberships = await world.get('/v1/flags/memberships?distinct_id=ada', project.key);
    expect(memberships.status).toBe(503);
    expect(memberships.headers.get('retry-after')).not.toBeNull();
    const ready = await fetch(`${world.url}/health/ready`);
    expect(ready.status).toBe(200);
    await server.start();
    await eventually(async () => expect(await flagsOf('ada')).toEqual(known));
  });

  it('(hanging) flags are answered without the person, until it goes on', async () => {
    await eventually(async () => expect(await flagsOf('ada')).toEqual(known));
    await server.freeze();
    const answers = await Promise.all(Array.from({ length: 30 }, () => flagsOf('ada')));
    for (const answer of answers) expect(answer).toEqual(unknown);
    await server.thaw();
    await eventually(async () => expect(await flagsOf('ada')).toEqual(known));
  });

  it('a change is seen once it is back', async () => {
    await server.stop();
    await server.start();
    await eventually(() => world.putFlag(project, { key: 'everyone', enabled: false, rolloutPercentage: 0 }));
    await eventually(async () => expect((await flagsOf('ada')).flags).toMatchObject({ everyone: false }));
  });
});
