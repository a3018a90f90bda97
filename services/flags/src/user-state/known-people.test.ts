import { describe, expect, it } from 'vitest';
import type { Watch } from './changes.ts';
import { createKnownPeople } from './known-people.ts';

const ANSWER = { body: '{}', outcomes: '' };

describe('known people', () => {
  /** Creates people with states that are read from `stored`. Their watches hold until they are broken. */
  function harness() {
    const stored = new Map([['ada', '{"groups":{},"traits":{"n":1},"cohorts":[],"did":[]}']]);
    const broken = new Set<Watch>();
    let reads = 0;
    let duringRead = () => {};
    let last: Watch | undefined;
    const changes = { ofAll: 0, ofGroups: 0, onNext: undefined };
    const people = createKnownPeople({
      userState: {
        async read(_, distinctId) {
          reads++;
          duringRead();
          return stored.get(distinctId) ?? 'nothing';
        },
      },
      changes: {
        watch() {
          last = {
            person: changes,
            project: changes,
            ofPerson: 0,
            ofProject: 0,
            ofGroups: 0,
            gaps: 0,
            until: 0,
          };
          return last;
        },
        holds: (watch) => !broken.has(watch),
      },
    });
    return {
      people,
      stored,
      get: async (distinctId = 'ada', isAwaited = false) => people.get('p', distinctId, isAwaited),
      breakWatch: () => void (last && broken.add(last)),
      onRead: (work: () => void) => {
        duringRead = work;
      },
      reads: () => reads,
    };
  }

  it('reads a person twice, and then answers at once until they change', async () => {
    const { people, get, breakWatch, stored, reads } = harness();
    expect(await get()).toEqual({ state: stored.get('ada'), key: undefined });
    await get();
    for (let times = 0; times < 3; times++)
      expect(people.get('p', 'ada', false)).toMatchObject({ state: stored.get('ada') });
    expect(reads()).toBe(2);
    stored.set('ada', 'changed');
    breakWatch();
    expect(await get()).toMatchObject({ state: 'changed' });
    expect(people.get('p', 'ada', false)).toMatchObject({ state: 'changed' });
    expect(reads()).toBe(3);
    expect(people.reads()).toEqual({ hits: 4, misses: 3 });
  });

  it('reads a person again who changes while being read', async () => {
    const { get, breakWatch, onRead, reads } = harness();
    await get();
    onRead(breakWatch);
    await get();
    onRead(() => {});
    await get();
    await get();
    expect(reads()).toBe(3);
  });

  it('reads a person for a caller that waits for a change', async () => {
    const { get, reads } = harness();
    await get();
    await get();
    await get('ada', true);
    expect(reads()).toBe(3);
  });

  it('keeps the answer for a person until their state changes', async () => {
    const { people, get, breakWatch, stored } = harness();
    await get();
    const person = await get();
    people.keep(person, '1', ANSWER);
    expect((await get()).answer).toEqual({ changedAt: '1', ...ANSWER });
    breakWatch();
    expect((await get()).answer).toEqual({ changedAt: '1', ...ANSWER });
    stored.set('ada', 'changed');
    breakWatch();
    expect((await get()).answer).toBeUndefined();
    people.keep(person, '2', ANSWER);
    expect((await get()).answer).toBeUndefined();
  });

  it('tells people apart by project, and gives an empty distinct_id no state', async () => {
    const { people, get, reads } = harness();
    await get();
    await get();
    await people.get('q', 'ada', false);
    expect(reads()).toBe(3);
    expect(people.get('p', '', true)).toEqual({
      state: '{"groups":{},"traits":{},"cohorts":[],"did":[]}',
      key: undefined,
    });
  });

  it('keeps a person from the second request on, regardless of requests for other people', async () => {
    const { get, reads } = harness();
    for (let person = 0; person < 1000; person++) await get(`person ${person}`);
    await get('person 7');
    await get('person 7');
    expect(reads()).toBe(1001);
  });
});
