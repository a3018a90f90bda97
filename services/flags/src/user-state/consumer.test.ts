import { ingestionTopics } from '@switchboard/contracts';
import { eventually } from '@switchboard/testkit';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { json, startWorld, type TestProject, type World } from '../testing/world.ts';
import { userStateGroup } from './consumer.ts';

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await startWorld();
  project = await world.createProject();
});
afterAll(() => world.stop());

let people = 0;
const somebody = () => `person-${++people}`;
const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();

/** Waits until the service has taken everything that was published. */
async function settled(): Promise<void> {
  await eventually(async () => {
    const lag = await world.log.lag(userStateGroup, [ingestionTopics.identifies, ingestionTopics.groups]);
    expect(lag.every(({ behind }) => behind === 0n)).toBe(true);
  });
}

async function stored(distinctId: string) {
  await settled();
  const [row] = await world.sql<{ traits: unknown; groups: unknown }[]>`
    select traits, groups from people where project_id = ${project.id} and distinct_id = ${distinctId}`;
  return row;
}

async function storedGroup(type: string, id: string): Promise<unknown> {
  await settled();
  const [row] = await world.sql<{ traits: unknown }[]>`
    select traits from groups where project_id = ${project.id} and type = ${type} and id = ${id}`;
  return row?.traits;
}

describe('records of identifies', () => {
  it('merge property by property, null removes', async () => {
    const ada = somebody();
    await world.identify(project, ada, { plan: 'free', name: 'Ada', tags: ['a', { b: null }] });
    await world.identify(project, ada, { plan: 'pro', name: null });
    expect(await stored(ada)).toEqual({ traits: { plan: 'pro', tags: ['a', { b: null }] }, groups: {} });
  });

  it('that come late change nothing newer, and bring nothing removed back', async () => {
    const ada = somebody();
    await world.identify(project, ada, { plan: 'pro', name: null, age: 1 }, at(2));
    await world.identify(project, ada, { plan: 'free', name: 'Ada', city: 'Bonn' }, at(1));
    expect((await stored(ada))?.traits).toEqual({ plan: 'pro', age: 1, city: 'Bonn' });
  });

  it('of one timestamp count in the order they arrived', async () => {
    const ada = somebody();
    for (const plan of ['a', 'b', 'c']) await world.identify(project, ada, { plan }, at(1));
    expect((await stored(ada))?.traits).toEqual({ plan: 'c' });
  });

  it('may be delivered again from any point', async () => {
    const ada = somebody();
    await world.identify(project, ada, { plan: 'free', seats: 1 }, at(1));
    await world.identify(project, ada, { plan: 'pro' }, at(1));
    await world.identify(project, ada, { seats: null }, at(3));
    const before = await stored(ada);
    await consumeAgain();
    expect(await stored(ada)).toEqual(before);
  });

  it('end in one state in whatever order they come', async () => {
    const trait = fc.constantFrom('a', 'b', '__proto__');
    const traits = fc.dictionary(trait, fc.option(fc.jsonValue({ maxDepth: 1 }), { nil: null }));
    const calls = fc.array(traits, { minLength: 2, maxLength: 5 });
    const orders = calls.chain((all) => {
      const timed = all.map((changed, second) => ({ changed, second }));
      return fc.record({
        timed: fc.constant(timed),
        shuffled: fc.shuffledSubarray(timed, { minLength: timed.length }),
      });
    });
    const rounds = fc.sample(orders, 40);
    const pairs = await Promise.all(
      rounds.map(async ({ timed, shuffled }) => {
        const [ada, eve] = [somebody(), somebody()];
        for (const { changed, second } of timed) await world.identify(project, ada, changed, at(second));
        for (const { changed, second } of shuffled) await world.identify(project, eve, changed, at(second));
        return [ada, eve] as const;
      }),
    );
    await settled();
    for (const [ada, eve] of pairs) expect(await stored(eve)).toEqual(await stored(ada));
  });
});

describe('records of groups', () => {
  it('put a person into one group of a type, the newest by timestamp', async () => {
    const ada = somebody();
    await world.group(project, ada, { id: 'acme' }, at(2));
    await world.group(project, ada, { id: 'older' }, at(1));
    await world.group(project, ada, { type: 'team', id: 'red' }, at(1));
    expect((await stored(ada))?.groups).toEqual({ company: 'acme', team: 'red' });
    await world.group(project, ada, { type: 'team', id: null }, at(3));
    await world.group(project, ada, { type: 'team', id: 'blue' }, at(2));
    expect((await stored(ada))?.groups).toEqual({ company: 'acme' });
  });

  it('merge the traits of the group, whoever’s call they come with', async () => {
    const type = somebody();
    await world.group(project, somebody(), { type, id: 'acme', traits: { seats: 1, city: 'Bonn' } }, at(1));
    await world.group(project, somebody(), { type, id: 'acme', traits: { seats: 3, city: null } }, at(3));
    await world.group(project, somebody(), { type, id: 'acme', traits: { seats: 2 } }, at(2));
    await world.group(project, somebody(), { type, id: null, traits: { seats: 9 } }, at(9));
    expect(await storedGroup(type, 'acme')).toEqual({ seats: 3 });
  });

  it('of many people at once lose nothing of their group', async () => {
    const type = somebody();
    await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        world.group(project, somebody(), { type, id: 'acme', traits: { [`trait-${index}`]: index } }),
      ),
    );
    expect(Object.keys((await storedGroup(type, 'acme')) as object)).toHaveLength(50);
  });
});

describe('a record that cannot be read', () => {
  it.each([
    ['not JSON', '{', 'not valid JSON'],
    ['no person', JSON.stringify({ project_id: 'p', traits: {} }), 'distinct_id'],
    [
      'an id that no database holds',
      JSON.stringify({
        project_id: 'p',
        distinct_id: 'a\0b',
        traits: {},
        timestamp: at(1),
        received_at: at(1),
      }),
      'NUL',
    ],
  ])('(%s) is set aside with the reason, and the next one is applied', async (_, value, reason) => {
    const ada = somebody();
    await world.publishRaw(ingestionTopics.identifies, `${project.id}:${ada}`, value);
    await world.identify(project, ada, { plan: 'pro' });
    expect((await stored(ada))?.traits).toEqual({ plan: 'pro' });
    const dead = await deadLetters();
    expect(dead.some((letter) => letter.value === value && letter.reason.includes(reason))).toBe(true);
  });
});

describe('an evaluation after identify', () => {
  it('sees the traits from whichever instance is asked', async () => {
    const other = await world.startInstance();
    await world.putFlag(project, {
      key: 'pro',
      enabled: true,
      rolloutPercentage: 100,
      targeting: [{ attribute: 'plan', op: 'eq', value: 'pro' }],
    });
    const ada = somebody();
    await world.identify(project, ada, { plan: 'pro' });
    for (const url of [world.url, other.url]) {
      await eventually(async () => {
        const response = await world.get(`/v1/flags?distinct_id=${ada}`, project.key, { url });
        expect(await json(response)).toMatchObject({ flags: { pro: true } });
      });
    }
  });
});

async function deadLetters(): Promise<{ value: string; reason: string }[]> {
  const found: { value: string; reason: string }[] = [];
  const topic = `${ingestionTopics.identifies}.dead-letter`;
  const group = `test-${Math.random()}`;
  const consumption = await world.log.consume({
    group,
    topics: [topic],
    async handle({ records }) {
      for (const { value, headers } of records) {
        found.push({ value: String(value), reason: headers['dead-letter-reason'] ?? '' });
      }
    },
  });
  await eventually(async () => {
    const lag = await world.log.lag(group, [topic]);
    expect(lag.every(({ behind }) => behind === 0n)).toBe(true);
  });
  await consumption.stop();
  return found;
}

/** Hands all records over again, as after a crash before any offset was committed. */
async function consumeAgain(): Promise<void> {
  await settled();
  const { applyChanges } = await import('./apply.ts');
  const { positionAfter } = await import('./positions.ts');
  const { readRecord, UnreadableRecord } = await import('./records.ts');
  const { openDatabase } = await import('@switchboard/database');
  const database = openDatabase({ url: world.databaseUrl, applicationName: 'test' });
  const group = `again-${Math.random()}`;
  const topics = [ingestionTopics.identifies, ingestionTopics.groups];
  const consumption = await world.log.consume({
    group,
    topics,
    async handle(batch) {
      for (const record of batch.records) {
        try {
          await applyChanges(database, [readRecord(record)], positionAfter(batch));
        } catch (error) {
          if (!(error instanceof UnreadableRecord)) throw error;
        }
      }
    },
  });
  await eventually(async () => {
    const lag = await world.log.lag(group, topics);
    expect(lag.every(({ behind }) => behind === 0n)).toBe(true);
  });
  await consumption.stop();
  await database.close();
}
