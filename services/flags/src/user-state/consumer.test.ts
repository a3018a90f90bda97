import { ingestionTopics } from '@switchboard/contracts';
import { openDatabase } from '@switchboard/database';
import { eventually } from '@switchboard/testkit';
import {
  applyChanges,
  createStateStore,
  decodeRecord,
  InvalidRecord,
  positionAfter,
} from '@switchboard/user-state';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { json, type TestProject, useFlags } from '../testing/harness.ts';

const harness = await useFlags();
let project: TestProject;
beforeAll(async () => {
  project = await harness.createProject();
});

let people = 0;
const somebody = () => `person-${++people}`;
const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();

async function stored(distinctId: string) {
  await harness.settled();
  const [row] = await harness.sql<{ traits: unknown; groups: unknown }[]>`
    select traits, groups from people where project_id = ${project.id} and distinct_id = ${distinctId}`;
  return row;
}

async function storedGroup(type: string, id: string): Promise<unknown> {
  await harness.settled();
  const [row] = await harness.sql<{ traits: unknown }[]>`
    select traits from groups where project_id = ${project.id} and type = ${type} and id = ${id}`;
  return row?.traits;
}

describe('identify records', () => {
  it('merges identify calls property by property, and removes one with null', async () => {
    const ada = somebody();
    await harness.identify(project, ada, { plan: 'free', name: 'Ada', tags: ['a', { b: null }] });
    await harness.identify(project, ada, { plan: 'pro', name: null });
    expect(await stored(ada)).toEqual({ traits: { plan: 'pro', tags: ['a', { b: null }] }, groups: {} });
  });

  it('keeps the newest value of a trait, and removals, when identify calls arrive out of order', async () => {
    const ada = somebody();
    await harness.identify(project, ada, { plan: 'pro', name: null, age: 1 }, at(2));
    await harness.identify(project, ada, { plan: 'free', name: 'Ada', city: 'Bonn' }, at(1));
    expect((await stored(ada))?.traits).toEqual({ plan: 'pro', age: 1, city: 'Bonn' });
  });

  it('applies identify records with equal timestamps in order of arrival', async () => {
    const ada = somebody();
    for (const plan of ['a', 'b', 'c']) await harness.identify(project, ada, { plan }, at(1));
    expect((await stored(ada))?.traits).toEqual({ plan: 'c' });
  });

  it('keeps a trait of any name', async () => {
    const ada = somebody();
    const traits = JSON.parse('{"__proto__":"x","constructor":1,"":true}');
    await harness.identify(project, ada, traits, at(1));
    expect(JSON.stringify((await stored(ada))?.traits)).toBe(JSON.stringify(traits));
    await harness.identify(project, ada, JSON.parse('{"__proto__":null}'), at(2));
    expect((await stored(ada))?.traits).toEqual({ constructor: 1, '': true });
  });

  it('reaches the same state when identify records are redelivered from any offset', async () => {
    const ada = somebody();
    await harness.identify(project, ada, { plan: 'free', seats: 1 }, at(1));
    await harness.identify(project, ada, { plan: 'pro' }, at(1));
    await harness.identify(project, ada, { seats: null }, at(3));
    const before = await stored(ada);
    await consumeAgain();
    expect(await stored(ada)).toEqual(before);
  });

  it('reaches the same state for identify records in any order', async () => {
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
        for (const { changed, second } of timed) await harness.identify(project, ada, changed, at(second));
        for (const { changed, second } of shuffled) await harness.identify(project, eve, changed, at(second));
        return [ada, eve] as const;
      }),
    );
    await harness.settled();
    for (const [ada, eve] of pairs) expect(await stored(eve)).toEqual(await stored(ada));
  });
});

describe('group records', () => {
  it('puts a person into one group per type, the newest by timestamp', async () => {
    const ada = somebody();
    await harness.group(project, ada, { id: 'acme' }, at(2));
    await harness.group(project, ada, { id: 'older' }, at(1));
    await harness.group(project, ada, { type: 'team', id: 'red' }, at(1));
    expect((await stored(ada))?.groups).toEqual({ company: 'acme', team: 'red' });
    await harness.group(project, ada, { type: 'team', id: null }, at(3));
    await harness.group(project, ada, { type: 'team', id: 'blue' }, at(2));
    expect((await stored(ada))?.groups).toEqual({ company: 'acme' });
  });

  it('merges group traits across callers', async () => {
    const type = somebody();
    await harness.group(project, somebody(), { type, id: 'acme', traits: { seats: 1, city: 'Bonn' } }, at(1));
    await harness.group(project, somebody(), { type, id: 'acme', traits: { seats: 3, city: null } }, at(3));
    await harness.group(project, somebody(), { type, id: 'acme', traits: { seats: 2 } }, at(2));
    await harness.group(project, somebody(), { type, id: null, traits: { seats: 9 } }, at(9));
    expect(await storedGroup(type, 'acme')).toEqual({ seats: 3 });
  });

  it('keeps every group trait of concurrent calls from many people', async () => {
    const type = somebody();
    await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        harness.group(project, somebody(), { type, id: 'acme', traits: { [`trait-${index}`]: index } }),
      ),
    );
    expect(Object.keys((await storedGroup(type, 'acme')) as object)).toHaveLength(50);
  });
});

describe('an invalid record', () => {
  it.each([
    ['not JSON', '{', 'not valid JSON'],
    ['more than a call can have', `[${'[],'.repeat(90_000)}[]]`, 'larger than 262144 bytes'],
    ['no distinct_id', JSON.stringify({ project_id: 'p', traits: {} }), 'distinct_id'],
    [
      'an id with a NUL',
      JSON.stringify({
        project_id: 'p',
        distinct_id: 'a\0b',
        traits: {},
        timestamp: at(1),
        received_at: at(1),
      }),
      'NUL',
    ],
  ])(
    'dead-letters an invalid record (%s) with the reason, and applies the next one',
    async (_, value, reason) => {
      const ada = somebody();
      await harness.publishRaw(ingestionTopics.identifies, `${project.id}:${ada}`, value);
      await harness.identify(project, ada, { plan: 'pro' });
      expect((await stored(ada))?.traits).toEqual({ plan: 'pro' });
      const dead = await harness.deadLetters(ingestionTopics.identifies);
      expect(dead.some((letter) => letter.value === value && letter.reason.includes(reason))).toBe(true);
    },
  );
});

describe('evaluation after identify', () => {
  it('evaluates with the new traits on every instance', async () => {
    const other = await harness.startInstance();
    await harness.putFlag(project, {
      key: 'pro',
      enabled: true,
      rolloutPercentage: 100,
      targeting: [{ attribute: 'plan', op: 'eq', value: 'pro' }],
    });
    const ada = somebody();
    await harness.identify(project, ada, { plan: 'pro' });
    for (const url of [harness.url, other.url]) {
      await eventually(async () => {
        const response = await harness.get(`/v1/flags?distinct_id=${ada}`, project.key, { url });
        expect(await json(response)).toMatchObject({ flags: { pro: true } });
      });
    }
  });
});

/** Redelivers every record, as after a crash before any offset was committed. */
async function consumeAgain(): Promise<void> {
  await harness.settled();
  const database = openDatabase({ url: harness.databaseUrl, applicationName: 'test' });
  const store = createStateStore(database);
  const group = `again-${Math.random()}`;
  const topics = [ingestionTopics.identifies, ingestionTopics.groups];
  const consumption = await harness.log.consume({
    group,
    topics,
    async handle(batch) {
      for (const record of batch.records) {
        try {
          await applyChanges(store, [decodeRecord(record)], positionAfter(batch));
        } catch (error) {
          if (!(error instanceof InvalidRecord)) throw error;
        }
      }
    },
  });
  await harness.handled(group, topics);
  await consumption.stop();
  await database.close();
}
