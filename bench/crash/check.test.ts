import { describe, expect, it } from 'vitest';
import { answerFaults, type Request } from './books.ts';
import { checkEvents, type FoundEvent } from './check-events.ts';
import { checkState, type FoundState } from './check-state.ts';
import { createRandom } from './random.ts';
import { eventOf, groupId, groupTraits, identifyTraits, type Numbered, person } from './traffic.ts';

/** The proof is worth what its checks refuse: each way to be wrong must be seen. */

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

describe('events', () => {
  const accepted = request({ count: 3 });
  const all = [archived(0), archived(1), archived(2)];
  const faultsOf = (requests: Request[], found: FoundEvent[]) => checkEvents(requests, found, base).faults;

  it('that were accepted and are there once are fine', () => {
    expect(checkEvents([accepted], all, base)).toEqual({
      accepted: 3,
      rejected: 0,
      unknown: 0,
      unknownFound: 0,
      found: 3,
      faults: [],
    });
  });

  it('of which one is missing are refused', () => {
    expect(faultsOf([accepted], all.slice(1))).toEqual([
      'crash-a r1-e0: lost, answered 202; on the log 0 times',
    ]);
  });

  it('of which one is there twice are refused, also when it was never accepted', () => {
    expect(faultsOf([accepted], [...all, { ...archived(1), place: 'file-2' }])).toEqual([
      'crash-a r1-e1: doubled, answered 202, found in file-1, in file-2; on the log 0 times',
    ]);
    expect(faultsOf([request({ statuses: [503, 0] })], [archived(0), archived(0)])).toHaveLength(1);
  });

  it('of which one is not as it was sent are refused', () => {
    const changed = { ...archived(1), properties: { ...Object(archived(1).properties), price: 0 } };
    expect(faultsOf([accepted], [archived(0), changed, archived(2)])).toEqual([
      'crash-a r1-e1: not as it was sent, in file-1; on the log 0 times',
    ]);
  });

  it('that were refused for being wrong may be nowhere', () => {
    const rejected = request({ expected: 400, statuses: [503, 400] });
    expect(faultsOf([rejected], [])).toEqual([]);
    expect(faultsOf([rejected], [archived(0)])).toHaveLength(1);
    expect(faultsOf([request({ expected: 400, statuses: [0] })], [archived(0)])).toHaveLength(1);
  });

  it('without an answer may be there or not', () => {
    for (const statuses of [[0], [503], [503, 0, 503]]) {
      expect(faultsOf([request({ statuses })], [])).toEqual([]);
      expect(faultsOf([request({ statuses })], [archived(0)])).toEqual([]);
    }
  });

  it('of the same event_id in two projects are two', () => {
    const both = [request(), request({ project: 'crash-b' })];
    const stored = {
      ...archived(0),
      ...eventOf({ project: 'crash-b', round: 1, number: 0 }, base, false),
      project: 'crash-b',
    };
    expect(faultsOf(both, [archived(0), stored])).toEqual([]);
    expect(faultsOf(both, [archived(0)])).toEqual(['crash-b r1-e0: lost, answered 202; on the log 0 times']);
    expect(faultsOf(both, [archived(0), { ...archived(0), project: 'crash-b' }])).toHaveLength(1);
  });

  it('that nobody sent are refused', () => {
    expect(faultsOf([accepted], [...all, archived(7)])).toEqual([
      'crash-a r1-e7: sent by nobody, found in file-1',
    ]);
  });
});

describe('the state of people and groups', () => {
  const numbered = (number: number): Numbered => ({ project: 'crash-a', round: 1, number });
  // Of one person; the later number is also the later time.
  const [first, second] = [0, 37];
  const calls = [first, second].map((number) => request({ kind: 'identify', first: number }));
  const state = (traits: Record<string, unknown>): FoundState => ({
    people: [{ project: 'crash-a', id: person(numbered(first)), traits, groups: {} }],
    groups: [],
  });
  const whole = { ...identifyTraits(numbered(first)), ...identifyTraits(numbered(second)) };
  const faultsOf = (requests: Request[], found: FoundState) => checkState(requests, found, base).faults;

  it('has every accepted identify, and of what they share the newest', () => {
    expect(faultsOf(calls, state(whole))).toEqual([]);
  });

  it('without one accepted identify is refused', () => {
    const { [`n${first}`]: _, ...rest } = whole;
    expect(faultsOf(calls, state(rest))).toHaveLength(1);
    expect(faultsOf(calls, { people: [], groups: [] })).not.toEqual([]);
  });

  it('with an older value over a newer one is refused', () => {
    expect(faultsOf(calls, state({ ...whole, last: first }))).toEqual([
      'crash-a r1-person-0 last: is 0, expected 37',
    ]);
  });

  it('may have what got no answer or not, and never what was refused', () => {
    const withLast = (statuses: number[], expected = 202) => [
      request({ kind: 'identify', first }),
      request({ kind: 'identify', first: second, statuses, expected }),
    ];
    expect(faultsOf(withLast([0]), state(whole))).toEqual([]);
    expect(faultsOf(withLast([0]), state(identifyTraits(numbered(first))))).toEqual([]);
    expect(faultsOf(withLast([400], 400), state(identifyTraits(numbered(first))))).toEqual([]);
    expect(faultsOf(withLast([400], 400), state(whole))).not.toEqual([]);
  });

  it('has each person in the group of the newest group call, and its traits', () => {
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

describe('answers', () => {
  it('other than promised, or without a reason, are refused', () => {
    expect(answerFaults([request({ statuses: [0, 503, 202] })])).toEqual([]);
    expect(answerFaults([request({ statuses: [500] })])).toHaveLength(1);
    expect(answerFaults([request({ expected: 400, statuses: [202] })])).toHaveLength(1);
    expect(answerFaults([request({ untold: '503 ' })])).toHaveLength(1);
  });
});

describe('a seed', () => {
  it('gives the same chances again', () => {
    const draw = (seed: number) => {
      const random = createRandom(seed);
      return [random.next(), random.between(1, 6), ...random.shuffle([1, 2, 3, 4, 5])];
    };
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
  });
});
