import { ingestionTopics } from '@switchboard/contracts';
import { beforeAll, describe, expect, it } from 'vitest';
import { json, type TestProject, useFlags } from '../testing/harness.ts';

const harness = await useFlags();
let project: TestProject;
beforeAll(async () => {
  project = await harness.createProject();
  const on = { enabled: true, rolloutPercentage: 100 };
  const targeting = [{ attribute: 'plan', op: 'eq' as const, value: 'pro' }];
  await harness.putFlag(project, { key: 'pro', ...on, targeting });
});

let people = 0;
const somebody = () => `person-${++people}`;
const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
const named = (prefix: string, count: number, value: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}-${index}`, value]));

async function stored(distinctId: string) {
  await harness.settled();
  const [row] = await harness.sql<{ traits: object; groups: object; bytes: number }[]>`
    select traits, groups, octet_length(traits::text) + octet_length(trait_stamps::text) as bytes
    from people where project_id = ${project.id} and distinct_id = ${distinctId}`;
  return row;
}

async function reasonsOf(topic: string, distinctId: string): Promise<string[]> {
  await harness.settled();
  const letters = await harness.deadLetters(topic);
  return letters.filter(({ value }) => value.includes(`"${distinctId}"`)).map(({ reason }) => reason);
}

async function flagsOf(distinctId: string) {
  const response = await harness.get(`/v1/flags?distinct_id=${distinctId}`, project.key);
  const { flags } = await json(response);
  return { status: response.status, state: response.headers.get('x-state'), flags };
}

describe('the state of a person', () => {
  it.each([
    [800_000, 'larger than 262144 bytes'],
    [99_999, 'the person would have more than 100000 bytes of traits'],
  ])(
    'keeps the state of a person bounded under fifty calls of %i bytes, and applies the calls of others',
    async (bytes, reason) => {
      const [greedy, ada] = [somebody(), somebody()];
      await harness.identify(project, greedy, { plan: 'pro' });
      for (let call = 0; call < 50; call++) {
        await harness.identify(project, greedy, { [`text-${call}`]: 'x'.repeat(bytes) });
      }
      await harness.identify(project, ada, { plan: 'pro' });
      expect((await stored(ada))?.traits).toEqual({ plan: 'pro' });
      expect((await stored(greedy))?.traits).toEqual({ plan: 'pro' });
      const reasons = await reasonsOf(ingestionTopics.identifies, greedy);
      expect(reasons).toHaveLength(50);
      expect(new Set(reasons)).toEqual(new Set([reason]));
      expect(await flagsOf(greedy)).toEqual({ status: 200, state: null, flags: { pro: true } });
    },
  );

  it('keeps a person at 1,000 traits, and replaces some with others', async () => {
    const ada = somebody();
    await harness.identify(project, ada, named('trait', 1000, 1));
    await harness.identify(project, ada, { 'trait-1': 2, late: 1 });
    await harness.identify(project, ada, { 'trait-2': 2 });
    expect(await reasonsOf(ingestionTopics.identifies, ada)).toEqual([
      'the person would have more than 1000 traits',
    ]);
    expect((await stored(ada))?.traits).toEqual({ ...named('trait', 1000, 1), 'trait-2': 2 });
    await harness.identify(project, ada, { 'trait-1': null, late: 1 });
    expect((await stored(ada))?.traits).toMatchObject({ late: 1 });
  });

  it('keeps a person bounded when new names are set and removed repeatedly', async () => {
    const ada = somebody();
    for (let round = 0; round < 10; round++) {
      await harness.identify(project, ada, named(`${'n'.repeat(190)}${round}`, 400, null), at(round));
    }
    await harness.identify(project, ada, { plan: 'pro' });
    expect(await reasonsOf(ingestionTopics.identifies, ada)).toEqual([]);
    expect((await stored(ada))?.traits).toEqual({ plan: 'pro' });
    expect((await stored(ada))?.bytes).toBeLessThan(200_000);
  });

  it('limits a person to groups of ten types, and changes nothing with a further call', async () => {
    const ada = somebody();
    for (let type = 0; type < 10; type++)
      await harness.group(project, ada, { type: `${ada}-${type}`, id: 'a' });
    await harness.group(project, ada, { type: `${ada}-10`, id: 'a', traits: { seats: 1 } });
    expect(await reasonsOf(ingestionTopics.groups, ada)).toEqual([
      'the person would have groups of more than 10 types',
    ]);
    expect(Object.keys((await stored(ada))?.groups ?? {})).toHaveLength(10);
    expect(
      await harness.sql`select traits from groups where type = ${`${ada}-10`} and traits::text <> '{}'`,
    ).toEqual([]);
  });
});

describe('the state of a group', () => {
  it('limits a group like a person', async () => {
    const [type, ada] = [somebody(), somebody()];
    const half = { type, id: 'acme' };
    await harness.group(project, ada, { ...half, traits: { first: 'x'.repeat(60_000) } });
    await harness.group(project, ada, { ...half, traits: { second: 'x'.repeat(60_000) } });
    expect(await reasonsOf(ingestionTopics.groups, ada)).toEqual([
      'the group would have more than 100000 bytes of traits',
    ]);
    const [group] = await harness.sql<{ traits: object }[]>`select traits from groups where type = ${type}`;
    expect(Object.keys(group?.traits ?? {})).toEqual(['first']);
  });
});

describe('a change that PostgreSQL does not store', () => {
  it('dead-letters a change that PostgreSQL rejects, and applies the others of its partition', async () => {
    const [broken, slow, ada] = [`broken-${somebody()}`, `slow-${somebody()}`, somebody()];
    await harness.sql.unsafe(`
      create function fail_some() returns trigger language plpgsql as $$ begin
        if new.distinct_id like 'broken-%' then perform 1 / 0; end if;
        if new.distinct_id like 'slow-%' then perform pg_sleep(60); end if;
        return new;
      end $$;
      create trigger fail_some before update on people for each row execute function fail_some()`);
    const everybody = [broken, ada, slow, ...Array.from({ length: 20 }, somebody)];
    await Promise.all(everybody.map((id) => harness.identify(project, id, { plan: 'pro' })));
    for (const id of everybody.slice(3)) expect((await stored(id))?.traits).toEqual({ plan: 'pro' });
    expect((await stored(ada))?.traits).toEqual({ plan: 'pro' });
    expect(await reasonsOf(ingestionTopics.identifies, broken)).toEqual(['not stored: 22012']);
    expect(await reasonsOf(ingestionTopics.identifies, slow)).toEqual(['not stored: 57014']);
  });

  it('keeps changes on the log while the tables cannot be written at all', async () => {
    const ada = somebody();
    await harness.sql`alter table people rename to people_away`;
    await harness.identify(project, ada, { plan: 'pro' });
    await new Promise((resolve) => setTimeout(resolve, 1500));
    await harness.sql`alter table people_away rename to people`;
    expect((await stored(ada))?.traits).toEqual({ plan: 'pro' });
    expect(await reasonsOf(ingestionTopics.identifies, ada)).toEqual([]);
  });
});

describe('a person with unreadable state', () => {
  it('answers for others while the state of one person cannot be read', async () => {
    const [broken, ...others] = Array.from({ length: 30 }, somebody);
    for (const id of others) await harness.identify(project, id, { plan: 'pro' });
    await harness.settled();
    await harness.sql`insert into people (project_id, distinct_id, groups)
      values (${project.id}, ${broken ?? ''}, '[1]')`;
    const [failed, ...answers] = await Promise.all([broken, ...others].map((id) => flagsOf(id ?? '')));
    expect(failed?.status).toBe(500);
    for (const answer of answers) {
      expect(answer).toEqual({ status: 200, state: null, flags: { pro: true } });
    }
  });
});
