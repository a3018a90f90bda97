import { eventually, type PostgresServer, postgresServer } from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Harness, json, startHarness, type TestProject } from '../testing/harness.ts';

let server: PostgresServer;
let harness: Harness;
let project: TestProject;
beforeAll(async () => {
  server = await postgresServer(['flags']);
  harness = await startHarness({ databaseUrl: server.url('flags'), env: { STATE_TIMEOUT_MS: '300' } });
  project = await harness.createProject();
  const on = { enabled: true, rolloutPercentage: 100 };
  await harness.putFlag(project, { key: 'everyone', ...on });
  await harness.putFlag(project, {
    key: 'pro',
    ...on,
    targeting: [{ attribute: 'plan', op: 'eq', value: 'pro' }],
  });
  await harness.putFlag(project, {
    key: 'not-blocked',
    ...on,
    targeting: [{ attribute: 'blocked', op: 'is_not_set' }],
  });
  await harness.identify(project, 'ada', { plan: 'pro' });
  await eventually(async () => expect(await flagsOf('ada')).toMatchObject({ flags: { pro: true } }));
  await harness.get('/v1/flags/snapshot', project.key);
});
afterAll(async () => {
  await harness.stop();
  await server.remove();
});

async function flagsOf(distinctId: string) {
  const response = await harness.get(`/v1/flags?distinct_id=${distinctId}`, project.key);
  const { flags } = await json(response);
  return { status: response.status, state: response.headers.get('x-state'), flags };
}

const known = { status: 200, state: null, flags: { everyone: true, pro: true, 'not-blocked': true } };
const unknown = {
  status: 200,
  state: 'unavailable',
  flags: { everyone: true, pro: false, 'not-blocked': false },
};

describe('a database that is unavailable', () => {
  it('evaluates flags without user state, serves the snapshot and answers memberships with 503 while the database is stopped', async () => {
    expect(await flagsOf('ada')).toEqual(known);
    await server.stop();
    for (let attempt = 0; attempt < 5; attempt++) expect(await flagsOf('ada')).toEqual(unknown);
    const snapshot = await harness.get('/v1/flags/snapshot', project.key);
    expect(await json(snapshot)).toMatchObject({ flags: [{ key: 'everyone' }, {}, {}] });
    const memberships = await harness.get('/v1/flags/memberships?distinct_id=ada', project.key);
    expect(memberships.status).toBe(503);
    expect(memberships.headers.get('retry-after')).not.toBeNull();
    const ready = await fetch(`${harness.url}/health/ready`);
    expect(ready.status).toBe(200);
    await server.start();
    await eventually(async () => expect(await flagsOf('ada')).toEqual(known));
  });

  it('evaluates recently requested people as before, and others without user state, while the database is frozen', async () => {
    onTestFinished(() => server.thaw());
    const readOften = async () => {
      await eventually(async () => expect(await flagsOf('ada')).toEqual(known));
      for (let times = 0; times < 3; times++) await flagsOf('ada');
    };
    // The process listens to changes again once it learns of one of a person that it keeps.
    await readOften();
    await harness.identify(project, 'ada', { blocked: true });
    await eventually(async () =>
      expect((await flagsOf('ada')).flags).toMatchObject({ 'not-blocked': false }),
    );
    await harness.identify(project, 'ada', { blocked: null });
    await readOften();
    await server.freeze();
    expect(await flagsOf('ada')).toEqual(known);
    const answers = await Promise.all(Array.from({ length: 30 }, () => flagsOf('eve')));
    for (const answer of answers) expect(answer).toEqual(unknown);
    expect(await flagsOf('ada')).toEqual(known);
    await server.thaw();
    await eventually(async () => expect(await flagsOf('ada')).toEqual(known));
  });

  it('shows changes after recovery', async () => {
    await server.stop();
    await server.start();
    await eventually(() =>
      harness.putFlag(project, { key: 'everyone', enabled: false, rolloutPercentage: 0 }),
    );
    await eventually(async () => expect((await flagsOf('ada')).flags).toMatchObject({ everyone: false }));
  });
});
