import { hash } from 'node:crypto';
import { COHORTS_TOPIC, cohortKey } from '@switchboard/contracts';
import { readTopic } from '@switchboard/event-log';
import { eventually } from '@switchboard/testkit';
import { expect, it } from 'vitest';
import { json, type TestProject, useFlags } from '../testing/harness.ts';

const harness = await useFlags();

const did = [{ event: 'bought', count: { gte: 2 }, within: { days: 30 } }];
const list = { computedAt: '2026-03-01T09:30:00.000Z', size: 2 };

const cohortsOf = async ({ key }: TestProject, person: string) =>
  (await json(await harness.get(`/v1/flags/memberships?distinct_id=${person}`, key)))['cohorts'];
const inTable = ({ id }: TestProject) => harness.sql`
  select distinct_id from cohort_members where project_id = ${id} order by distinct_id`;

it('returns the conditions of a cohort as they were sent, and publishes them', async () => {
  const project = await harness.createProject();
  const where = [{ attribute: 'total', op: 'gt' as const, value: 10 }];
  const definition = {
    name: 'Buyers',
    match: [],
    distinctIds: ['ada'],
    did: [{ event: 'bought', where, count: { eq: 0 }, within: { days: 7 } }],
    combine: 'any' as const,
  };
  const path = `/projects/${project.id}/cohorts/buyers`;
  const stored = await json(await harness.manage('PUT', path, definition));
  const expected = { id: 'buyers', ...definition, list: { computedAt: null, size: 0 } };
  expect(stored).toEqual(expected);
  expect(await json(await harness.manage('GET', path))).toEqual(expected);
  const { distinctIds: _, ...summary } = expected;
  expect(await json(await harness.manage('GET', `/projects/${project.id}/cohorts`))).toEqual({
    cohorts: [summary],
  });
  const { name: __, ...record } = { projectId: project.id, id: 'buyers', ...definition };
  await eventually(async () => {
    let found: unknown;
    await readTopic(harness.log, COHORTS_TOPIC, {
      onRecord: ({ key, value }) => {
        if (key === cohortKey(project.id, 'buyers')) found = JSON.parse(String(value));
      },
    });
    expect(found).toEqual(record);
  });
});

it.each([
  [{ count: { gte: 1, lte: 2 } }, 'did[0].count: has to name exactly one of gte, lte and eq'],
  [{ within: { days: 366 } }, 'did[0].within.days'],
  [{ where: [{ attribute: 'trait.plan', op: 'is_set' }] }, 'did[0].where[0].attribute: not part of an event'],
  [{ where: [{ attribute: 'x', op: 'in_cohort', value: 'y' }] }, 'did[0].where[0].op: a cohort cannot'],
])('rejects the condition with %j', async (more, message) => {
  const project = await harness.createProject();
  const definition = { name: 'B', did: [{ ...did[0], ...more }] };
  const response = await harness.manage('PUT', `/projects/${project.id}/cohorts/b`, definition);
  expect(response.status).toBe(400);
  expect(await json(response)).toMatchObject({ error: { message: expect.stringContaining(message) } });
});

it('evaluates flags by the computed list, alone, with match and instead of match', async () => {
  const project = await harness.createProject();
  const match = [{ attribute: 'plan', op: 'eq' as const, value: 'pro' }];
  await harness.putCohort(project, 'did', { name: 'D', did });
  await harness.putCohort(project, 'both', { name: 'B', did, match });
  await harness.putCohort(project, 'either', { name: 'E', did, match, combine: 'any' });
  const targeting = [{ attribute: 'cohort', op: 'in_cohort' as const, value: 'did' }];
  await harness.putFlag(project, { key: 'thanks', enabled: true, rolloutPercentage: 100, targeting });
  const isOn = async (person: string) => {
    const { flags } = await json(await harness.get(`/v1/flags?distinct_id=${person}`, project.key));
    return flags;
  };
  expect([await isOn('ada'), await isOn('ada')]).toEqual([{ thanks: false }, { thanks: false }]);
  await harness.identify(project, 'ada', { plan: 'pro' });
  await harness.identify(project, 'eve', { plan: 'pro' });
  await harness.settled();
  for (const id of ['did', 'both', 'either'])
    await harness.publishList(project, id, { '': ['ada', 'bob'] }, list);
  await eventually(async () => expect(await isOn('ada')).toEqual({ thanks: true }));
  expect(await cohortsOf(project, 'ada')).toEqual(['both', 'did', 'either']);
  expect(await cohortsOf(project, 'bob')).toEqual(['did', 'either']);
  expect(await cohortsOf(project, 'eve')).toEqual(['either']);
  const context = { context: { targetingKey: 'bob' } };
  const ofrep = await fetch(`${harness.url}/ofrep/v1/evaluate/flags/thanks`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${project.key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(context),
  });
  expect(await json(ofrep)).toMatchObject({ value: true });
  await harness.publishList(project, 'did', { '': ['bob'] }, { ...list, size: 1 });
  await eventually(async () => expect(await isOn('ada')).toEqual({ thanks: false }));
});

it('shows the age of a list, and a failure with the last list', async () => {
  const project = await harness.createProject();
  await harness.putCohort(project, 'did', { name: 'D', did });
  await harness.publishList(
    project,
    'did',
    { '': ['ada'] },
    { ...list, size: 1, failure: 'Too many events.' },
  );
  const path = `/projects/${project.id}/cohorts/did`;
  expect(await json(await harness.manage('GET', path))).toMatchObject({
    list: { ...list, size: 1, failure: 'Too many events.' },
  });
  expect(await cohortsOf(project, 'ada')).toEqual(['did']);
  await harness.manage('PUT', path, { name: 'Another name', did });
  expect(await cohortsOf(project, 'ada')).toEqual(['did']);
});

it('applies a part of a list without the others', async () => {
  const project = await harness.createProject();
  await harness.putCohort(project, 'did', { name: 'D', did });
  const people = Array.from({ length: 500 }, (_, index) => `person ${index}`).sort();
  const partOf = (prefix: string, all = people) =>
    all.filter((person) => hash('md5', person, 'hex').startsWith(prefix));
  const parts = Object.fromEntries([...'0123456789abcdef'].map((prefix) => [prefix, partOf(prefix)]));
  await harness.publishList(project, 'did', { '': people }, list);
  await harness.publishList(project, 'did', { ...parts, '': null }, list);
  expect(await inTable(project)).toHaveLength(0);
  await harness.publishList(project, 'did', parts, list);
  expect((await inTable(project)).map(({ distinct_id }) => distinct_id)).toEqual(people);
  await harness.publishList(project, 'did', { a: [], '0f': ['new'] }, list);
  const expected = people.filter((person) => !partOf('a').includes(person) && !partOf('0f').includes(person));
  expect((await inTable(project)).map(({ distinct_id }) => distinct_id)).toEqual([...expected, 'new'].sort());
});

it('removes a list with its cohort, with its conditions, and ignores lists of unknown cohorts', async () => {
  const project = await harness.createProject();
  const path = `/projects/${project.id}/cohorts/did`;
  for (const remove of [
    () => harness.manage('DELETE', path),
    () => harness.manage('PUT', path, { name: 'Without' }),
  ]) {
    await harness.putCohort(project, 'did', { name: 'D', did });
    await harness.publishList(project, 'did', { '': ['ada'] }, list);
    expect(await inTable(project)).toHaveLength(1);
    await remove();
    expect(await inTable(project)).toHaveLength(0);
    await harness.publishList(project, 'did', { '': ['ada'] }, list);
    expect(await inTable(project)).toHaveLength(0);
  }
  expect(await json(await harness.manage('GET', path))).not.toHaveProperty('list');
});
