import { describe, expect, test } from 'vitest';
import { groupCall, identifyCall } from './calls.ts';
import { eventBatch } from './events.ts';
import { replayChunk } from './replay.ts';

const event = {
  distinct_id: 'user-1',
  event_id: 'event-1',
  event_name: 'checkout completed',
  schema_version: 1,
  timestamp: '2026-03-01T09:30:00.000Z',
};
const batchOf = (...events: unknown[]) => ({ events, sent_at: '2026-03-01T09:30:01.000Z' });

interface Parsed {
  error?: { issues: { path: PropertyKey[] }[] } | undefined;
}
const paths = ({ error }: Parsed) => error?.issues.map(({ path }) => path.join('.')) ?? [];
const pathsOf = (changes: object) => paths(eventBatch.safeParse(batchOf({ ...event, ...changes })));

describe('a batch', () => {
  test('accepts a batch of 1 to 1,000 events', () => {
    const many = (count: number) =>
      eventBatch.safeParse(batchOf(...Array.from({ length: count }, () => event)));
    expect(many(1000).success).toBe(true);
    expect(paths(many(1001))).toEqual(['events']);
    expect(paths(many(0))).toEqual(['events']);
  });

  test('accepts a string or null as api_key in the body of a batch', () => {
    expect(eventBatch.parse({ ...batchOf(event), api_key: 'pk' }).api_key).toBe('pk');
    expect(eventBatch.safeParse({ ...batchOf(event), api_key: null }).success).toBe(true);
  });

  test('requires a timestamp as sent_at of a batch', () => {
    expect(paths(eventBatch.safeParse({ events: [event] }))).toEqual(['sent_at']);
    expect(paths(eventBatch.safeParse({ events: [event], sent_at: 'yesterday' }))).toEqual(['sent_at']);
  });

  test('names the path of each invalid event in a batch', () => {
    const bad = { ...event, timestamp: '2026-02-30T00:00:00Z' };
    expect(paths(eventBatch.safeParse(batchOf(event, bad, event, { ...event, event_id: '' })))).toEqual([
      'events.1.timestamp',
      'events.3.event_id',
    ]);
  });
});

describe('an event', () => {
  test.each(['distinct_id', 'event_id', 'event_name', 'session_id'])('bounds %s of an event', (name) => {
    expect(pathsOf({ [name]: '🎉'.repeat(200) })).toEqual([]);
    for (const value of ['🎉'.repeat(201), '', 'a\0b', 7]) {
      expect(pathsOf({ [name]: value })).toEqual([`events.0.${name}`]);
    }
  });

  test.each(['distinct_id', 'event_id', 'event_name', 'session_id'])(
    'rejects an event with a blank %s',
    (name) => {
      expect(pathsOf({ [name]: ' \t' })).toEqual([`events.0.${name}`]);
    },
  );

  test.each(['distinct_id', 'event_id', 'event_name', 'schema_version', 'timestamp'])(
    'requires %s of an event',
    (name) => {
      expect(pathsOf({ [name]: undefined })).toEqual([`events.0.${name}`]);
      expect(pathsOf({ [name]: null })).toEqual([`events.0.${name}`]);
    },
  );

  test('accepts an object with any content as properties of an event', () => {
    const properties = { list: [1, null, { deep: '\0' }] };
    expect(eventBatch.parse(batchOf({ ...event, properties })).events[0]?.properties).toEqual(properties);
    for (const value of [[], null, 'a', 1])
      expect(pathsOf({ properties: value })).toEqual(['events.0.properties']);
  });

  test.each(['locale', 'os', 'sdk', 'sdk_version'])('bounds %s in the context of an event', (name) => {
    for (const value of [null, undefined, '', 'a'.repeat(200)])
      expect(pathsOf({ context: { [name]: value } })).toEqual([]);
    for (const value of ['a'.repeat(201), '\0', 1]) {
      expect(pathsOf({ context: { [name]: value } })).toEqual([`events.0.context.${name}`]);
    }
  });

  test('requires a whole number as schema_version of an event', () => {
    for (const value of [1.5, '1', 2 ** 53])
      expect(pathsOf({ schema_version: value })).toEqual(['events.0.schema_version']);
  });

  test('reads a leap second as the second before it, and rejects times before year 1', () => {
    const leap = { ...event, timestamp: '2016-12-31T23:59:60.500Z' };
    const batch = eventBatch.parse({ events: [leap], sent_at: '2016-12-31T23:59:60Z' });
    expect([batch.events[0]?.timestamp, batch.sent_at]).toEqual([
      '2016-12-31T23:59:59.500Z',
      '2016-12-31T23:59:59Z',
    ]);
    expect(pathsOf({ timestamp: '0000-01-01T00:00:00Z' })).toEqual(['events.0.timestamp']);
  });

  test('accepts null as session_id of an event', () => {
    expect(pathsOf({ session_id: null })).toEqual([]);
  });

  test('drops unknown properties of an event', () => {
    expect(eventBatch.parse(batchOf({ ...event, occurred_at: 'forged' })).events[0]).toEqual(event);
  });
});

describe('identify and group calls', () => {
  test('requires distinct_id in identify and group calls, at the top level or in properties', () => {
    expect(identifyCall.safeParse({ distinct_id: 'user-1' }).success).toBe(true);
    expect(identifyCall.safeParse({ properties: { distinct_id: 'user-1' } }).success).toBe(true);
    expect(paths(identifyCall.safeParse({ properties: null }))).toEqual(['distinct_id']);
    expect(paths(identifyCall.safeParse({ distinct_id: null, properties: {} }))).toEqual(['distinct_id']);
    expect(paths(groupCall.safeParse({ properties: { group_id: 'acme' } }))).toEqual(['distinct_id']);
    expect(paths(identifyCall.safeParse({ properties: { distinct_id: '' } }))).toEqual([
      'properties.distinct_id',
    ]);
  });

  test('accepts null in identify and group calls wherever the specification does', () => {
    const call = { api_key: null, distinct_id: 'user-1', event_id: null, properties: null, timestamp: null };
    expect(identifyCall.safeParse(call).success).toBe(true);
  });

  test('keeps every trait, and rejects a trait that cannot be stored', () => {
    const properties = { plan: 'pro', seats: 4, nested: { a: [1] }, gone: null };
    expect(identifyCall.parse({ distinct_id: 'user-1', properties }).properties).toEqual(properties);
    const nul = identifyCall.safeParse({ distinct_id: 'user-1', properties: { plan: 'a\0' } });
    expect(paths(nul)).toEqual(['properties.plan']);
    const name = identifyCall.safeParse({ distinct_id: 'user-1', properties: { 'pl\0an': 'a' } });
    expect(name.success).toBe(false);
  });

  test('keeps a trait named __proto__', () => {
    const properties = JSON.parse('{"__proto__":"x","group_id":"acme"}');
    for (const call of [identifyCall, groupCall]) {
      expect(JSON.stringify(call.parse({ distinct_id: 'user-1', properties }).properties)).toBe(
        '{"__proto__":"x","group_id":"acme"}',
      );
    }
  });

  test('requires group_id in a group call, and accepts null', () => {
    const group = (properties: unknown) => paths(groupCall.safeParse({ distinct_id: 'user-1', properties }));
    expect(group({ group_id: 'acme', group_type: 'company' })).toEqual([]);
    expect(group({ group_id: null })).toEqual([]);
    expect(group({})).toEqual(['properties.group_id']);
    expect(group({ group_id: '' })).toEqual(['properties.group_id']);
    expect(group({ group_id: 'acme', group_type: '\0' })).toEqual(['properties.group_type']);
    expect(group(undefined)).toEqual(['properties']);
  });
});

test('numbers replay chunks from 0 and requires their events as an array', () => {
  const chunk = {
    distinct_id: 'user-1',
    events: [{ type: 2 }],
    masked: true,
    schema_version: 1,
    seq: 0,
    session_id: 'session-1',
    timestamp: '2026-03-01T09:30:00.000Z',
  };
  const parse = (changes: object) => paths(replayChunk.safeParse({ ...chunk, ...changes }));
  expect(parse({ sdk: null, events: [] })).toEqual([]);
  expect(parse({ seq: -1 })).toEqual(['seq']);
  expect(parse({ seq: 0.5 })).toEqual(['seq']);
  expect(parse({ events: {} })).toEqual(['events']);
  expect(parse({ masked: 'yes' })).toEqual(['masked']);
});
