import { describe, expect, it } from 'vitest';
import { answerFaults, type Request } from '../ledger.ts';
import { createRandom } from '../random.ts';
import {
  anonymousId,
  callTime,
  eventOf,
  groupId,
  groupTraits,
  identifyTraits,
  type Numbered,
  person,
} from '../traffic.ts';
import { checkEvents, type FoundEvent } from './events.ts';
import { checkJoins, type FoundPerson } from './joins.ts';
import { checkState, type FoundState } from './state.ts';
import { checkWebhooks } from './webhooks.ts';

/** Verifies that the checks find every kind of fault. */

const base = Date.parse('2026-03-01T09:30:00.000Z');

function request(fields: Partial<Request> = {}): Request {
  return {
    kind: 'events',
    project: 'crash-a',
    round: 1,
    first: 0,
    count: 1,
    isLate: false,
    expected: 202,
    statuses: [202],
    repeats: 0,
    ...fields,
  };
}

function archived(number: number, { project = 'crash-a' as const, isLate = false } = {}): FoundEvent {
  return { project, ...eventOf({ project, round: 1, number }, base, isLate), place: 'file-1' };
}

describe('the checks of events', () => {
  const accepted = request({ count: 3 });
  const all = [archived(0), archived(1), archived(2)];
  const faultsOf = (requests: Request[], found: FoundEvent[]) => checkEvents(requests, found, base).faults;

  it('passes when each accepted event is stored once', () => {
    expect(checkEvents([accepted], all, base)).toEqual({
      accepted: 3,
      rejected: 0,
      unknown: 0,
      unknownFound: 0,
      found: 3,
      faults: [],
    });
  });

  it('fails when an accepted event is missing', () => {
    expect(faultsOf([accepted], all.slice(1))).toEqual(['crash-a r1-e0: lost, answered 202; 0 on the log']);
  });

  it('fails when an event is stored twice, whether it was accepted or not', () => {
    expect(faultsOf([accepted], [...all, { ...archived(1), place: 'file-2' }])).toEqual([
      'crash-a r1-e1: duplicate, answered 202, found in file-1, in file-2; 0 on the log',
    ]);
    expect(faultsOf([request({ statuses: [503, 0] })], [archived(0), archived(0)])).toHaveLength(1);
  });

  it('fails when an event differs from the one that was sent', () => {
    const changed = { ...archived(1), properties: { ...Object(archived(1).properties), price: 0 } };
    expect(faultsOf([accepted], [archived(0), changed, archived(2)])).toEqual([
      'crash-a r1-e1: differs from the sent event, in file-1; 0 on the log',
    ]);
  });

  it('fails when an invalid event is stored', () => {
    const rejected = request({ expected: 400, statuses: [503, 400] });
    expect(faultsOf([rejected], [])).toEqual([]);
    expect(faultsOf([rejected], [archived(0)])).toHaveLength(1);
    expect(faultsOf([request({ expected: 400, statuses: [0] })], [archived(0)])).toHaveLength(1);
  });

  it('passes whether or not an event without a response is stored', () => {
    for (const statuses of [[0], [503], [503, 0, 503]]) {
      expect(faultsOf([request({ statuses })], [])).toEqual([]);
      expect(faultsOf([request({ statuses })], [archived(0)])).toEqual([]);
    }
  });

  it('counts two events when two projects use the same event_id', () => {
    const both = [request(), request({ project: 'crash-b' })];
    const stored = {
      ...archived(0),
      ...eventOf({ project: 'crash-b', round: 1, number: 0 }, base, false),
      project: 'crash-b',
    };
    expect(faultsOf(both, [archived(0), stored])).toEqual([]);
    expect(faultsOf(both, [archived(0)])).toEqual(['crash-b r1-e0: lost, answered 202; 0 on the log']);
    expect(faultsOf(both, [archived(0), { ...archived(0), project: 'crash-b' }])).toHaveLength(1);
  });

  it('fails when a stored event was never sent', () => {
    expect(faultsOf([accepted], [...all, archived(7)])).toEqual([
      'crash-a r1-e7: never sent, found in file-1',
    ]);
  });
});

describe('the checks of joined ids', () => {
  const numbered = (number: number): Numbered => ({ project: 'crash-a', round: 1, number });
  // Both name one anonymous id, for different persons.
  const numbers = [1, 70].sort((a, b) => callTime(numbered(a), base) - callTime(numbered(b), base));
  const [earlier = 0, later = 0] = numbers;
  const visitor = anonymousId(numbered(earlier)) ?? '';
  const call = (first: number, statuses = [202]) => request({ kind: 'identify', first, statuses });
  const ids = (...of: string[]): FoundPerson => ({ project: 'crash-a', ids: of });
  const of = (number: number) => ids(person(numbered(number)), visitor);
  const faultsOf = (requests: Request[], found: FoundPerson[]) => checkJoins(requests, found, base).faults;
  const calls = [call(earlier), call(later)];

  it('passes when the earliest accepted call has joined the id, in any order of the calls', () => {
    expect(anonymousId(numbered(later))).toBe(visitor);
    expect(faultsOf(calls, [of(earlier)])).toEqual([]);
    expect(faultsOf(calls.toReversed(), [of(earlier)])).toEqual([]);
  });

  it('fails when a later call has joined the id, or none', () => {
    expect(faultsOf(calls, [of(later)])).toHaveLength(1);
    expect(faultsOf(calls, [])).toHaveLength(1);
  });

  it('fails when an id belongs to two persons', () => {
    expect(faultsOf(calls, [of(later), of(earlier)])).toEqual([`crash-a ${visitor}: belongs to two persons`]);
    const merged = ids(person(numbered(earlier)), person(numbered(later)), visitor);
    expect(faultsOf(calls, [merged])).toHaveLength(1);
  });

  it('fails when ids are joined that no accepted call named', () => {
    const rejected = request({ kind: 'identify', first: earlier, expected: 400, statuses: [400] });
    expect(faultsOf([rejected], [])).toEqual([]);
    expect(faultsOf([rejected], [of(earlier)])).not.toEqual([]);
  });

  it('passes whether or not a call without a response has joined the id', () => {
    const uncertain = [call(earlier, [0]), call(later)];
    expect(faultsOf(uncertain, [of(earlier)])).toEqual([]);
    expect(faultsOf(uncertain, [of(later)])).toEqual([]);
    expect(faultsOf([call(earlier, [0])], [])).toEqual([]);
  });
});

describe('the checks of the state of people and groups', () => {
  const numbered = (number: number): Numbered => ({ project: 'crash-a', round: 1, number });
  // Both belong to one person. The higher number also has the later time.
  const [first, second] = [0, 37];
  const calls = [first, second].map((number) => request({ kind: 'identify', first: number }));
  const state = (traits: Record<string, unknown>): FoundState => ({
    people: [{ project: 'crash-a', id: person(numbered(first)), traits, groups: {} }],
    groups: [],
  });
  const complete = { ...identifyTraits(numbered(first)), ...identifyTraits(numbered(second)) };
  const faultsOf = (requests: Request[], found: FoundState) => checkState(requests, found, base).faults;

  it('passes with every accepted identify call and the newest value of each trait', () => {
    expect(faultsOf(calls, state(complete))).toEqual([]);
  });

  it('fails when an accepted identify call is missing', () => {
    const { [`n${first}`]: _, ...rest } = complete;
    expect(faultsOf(calls, state(rest))).toHaveLength(1);
    expect(faultsOf(calls, { people: [], groups: [] })).not.toEqual([]);
  });

  it('fails when an older value of a trait replaces a newer one', () => {
    expect(faultsOf(calls, state({ ...complete, last: first }))).toEqual([
      'crash-a r1-person-0 last: is 0, expected 37',
    ]);
  });

  it('passes with or without a call that had no response, and fails with a rejected call', () => {
    const withLast = (statuses: number[], expected = 202) => [
      request({ kind: 'identify', first }),
      request({ kind: 'identify', first: second, statuses, expected }),
    ];
    expect(faultsOf(withLast([0]), state(complete))).toEqual([]);
    expect(faultsOf(withLast([0]), state(identifyTraits(numbered(first))))).toEqual([]);
    expect(faultsOf(withLast([400], 400), state(identifyTraits(numbered(first))))).toEqual([]);
    expect(faultsOf(withLast([400], 400), state(complete))).not.toEqual([]);
  });

  it("requires each person to be in the group of their newest group call, with that group's traits", () => {
    const call = request({ kind: 'group', first: 1 });
    const found = {
      people: [
        {
          project: 'crash-a',
          id: person(numbered(1)),
          traits: {},
          groups: { company: groupId(numbered(1)) },
        },
      ],
      groups: [{ project: 'crash-a', id: groupId(numbered(1)) ?? '', traits: groupTraits(numbered(1)) }],
    };
    expect(faultsOf([call], found)).toEqual([]);
    expect(faultsOf([call], { ...found, groups: [] })).not.toEqual([]);
    expect(faultsOf([call], { ...found, people: [] })).not.toEqual([]);
  });
});

describe('the checks of responses', () => {
  it('fails when a response has an unexpected status or no error message', () => {
    expect(answerFaults([request({ statuses: [0, 503, 202] })])).toEqual([]);
    expect(answerFaults([request({ statuses: [500] })])).toHaveLength(1);
    expect(answerFaults([request({ expected: 400, statuses: [202] })])).toHaveLength(1);
    expect(answerFaults([request({ unexplained: '503 ' })])).toHaveLength(1);
  });
});

describe('a seed of random numbers', () => {
  it('repeats the same numbers for the same seed', () => {
    const draw = (seed: number) => {
      const random = createRandom(seed);
      return [random.next(), random.between(1, 6), ...random.shuffle([1, 2, 3, 4, 5])];
    };
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
  });
});

describe('the checks of webhooks', () => {
  const accepted = request({ count: 4 });
  const delivered = (number: number, distinctId = person({ project: 'crash-a', round: 1, number })) => ({
    project: 'crash-a',
    eventId: `r1-e${number}`,
    distinctId,
  });
  const faultsOf = (requests: Request[], found: ReturnType<typeof delivered>[], discarded = 0) =>
    checkWebhooks(requests, found, discarded).faults;

  it('passes when a message was sent about each event that is asked for, and counts repeats', () => {
    expect(checkWebhooks([accepted], [delivered(0), delivered(3), delivered(3)], 0)).toEqual({
      sent: 2,
      repeats: 1,
      faults: [],
    });
    expect(faultsOf([request({ statuses: [0] })], [])).toEqual([]);
  });

  it('fails when a message is missing, was discarded or names another person', () => {
    expect(faultsOf([accepted], [delivered(3)])).toEqual(['crash-a r1-e0: accepted, and sent to no webhook']);
    expect(faultsOf([accepted], [delivered(0), delivered(3)], 1)).toEqual([
      '1 messages of webhooks were discarded',
    ]);
    expect(faultsOf([request()], [delivered(0, 'other')])).toEqual([
      'crash-a r1-e0: a webhook names another person',
    ]);
  });

  it('fails when a message is about a rejected event or one that is not asked for', () => {
    expect(faultsOf([request({ expected: 400, statuses: [400] })], [delivered(0)])).toEqual([
      'crash-a r1-e0: rejected, and sent to a webhook',
    ]);
    expect(faultsOf([accepted], [delivered(0), delivered(1), delivered(3)])).toEqual([
      'crash-a r1-e1: sent to a webhook that did not ask for it',
    ]);
  });
});
