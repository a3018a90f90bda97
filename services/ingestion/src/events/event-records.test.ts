import type { EventBatch } from '@switchboard/contracts';
import { anyEvents } from '@switchboard/contracts/testing';
import { partitionFor } from '@switchboard/event-log';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linesOf } from '../testing/service.ts';
import { eventLines } from './event-lines.ts';
import { eventRecords, RECORD_MAX_BYTES } from './event-records.ts';

const receivedAt = new Date('2026-03-01T10:00:00.000Z');

function recordsOf(events: EventBatch['events'], sentAt = '2026-03-01T10:00:00.000Z', partitions = 4) {
  const lines = eventLines({ events, sent_at: sentAt });
  const arrival = { projectId: 'p1', receivedAt, isBot: false, partitions };
  return eventRecords(lines, arrival).records.map((record) => ({
    ...record,
    topic: 'events',
    offset: 0n,
    timestamp: 0,
  }));
}

function event(fields: Partial<EventBatch['events'][number]> = {}): EventBatch['events'][number] {
  return {
    distinct_id: 'user-1',
    event_id: 'event-1',
    event_name: 'page viewed',
    schema_version: 1,
    timestamp: '2026-03-01T09:30:00.000Z',
    ...fields,
  };
}

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('the records of a batch', () => {
  it('marks the events of a known bot in a header, and leaves their bytes as they are', () => {
    const arrival = { projectId: 'p1', receivedAt, partitions: 1 };
    const sent = () => eventLines({ events: [event()], sent_at: '2026-03-01T10:00:00.000Z' });
    const [person] = eventRecords(sent(), { ...arrival, isBot: false }).records;
    const [bot] = eventRecords(sent(), { ...arrival, isBot: true }).records;
    expect(bot?.headers).toEqual({ ...person?.headers, bot: 'true' });
    expect(bot?.value).toEqual(person?.value);
  });

  it('writes every event of a batch once, as sent, in the order of each person', () => {
    fc.assert(
      fc.property(anyEvents, fc.integer({ min: 1, max: 8 }), (batch, partitions) => {
        const records = recordsOf(batch, undefined, partitions);
        const seen = new Set<string>();
        const wanted = batch.filter(({ event_id }) => seen.size < seen.add(event_id).size);
        for (const person of new Set(wanted.map(({ distinct_id }) => distinct_id))) {
          const lines = linesOf(records).filter((line) => line['distinct_id'] === person);
          const sent = wanted.filter(({ distinct_id }) => distinct_id === person);
          expect(lines).toEqual(sent.map((one) => ({ ...Object(asJson(one)), occurred_at: one.timestamp })));
        }
        expect(linesOf(records)).toHaveLength(wanted.length);
        for (const { partition, key, headers, value } of records) {
          expect(key).toBe('p1');
          const lines = (value?.toString() ?? '').split('\n');
          expect(headers['count']).toBe(String(lines.length));
          for (const line of lines) {
            expect(partitionFor(`p1:${JSON.parse(line).distinct_id}`, partitions)).toBe(partition);
          }
        }
      }),
    );
  });

  it('keeps the records of a batch within 900 kB for any sizes', () => {
    const size = fc.oneof(fc.integer({ min: 0, max: 2000 }), fc.integer({ min: 0, max: 800_000 }));
    fc.assert(
      fc.property(
        fc.array(size, { minLength: 1, maxLength: 12 }),
        fc.constantFrom('x', 'é', '€'),
        (sizes, unit) => {
          const batch = sizes.map((units, i) =>
            event({
              event_id: String(i),
              properties: { text: unit.repeat(units / Buffer.byteLength(unit)) },
            }),
          );
          const records = recordsOf(batch);
          for (const { value } of records) expect(value?.length).toBeLessThanOrEqual(RECORD_MAX_BYTES);
          expect(linesOf(records).map((line) => line['event_id'])).toEqual(batch.map((one) => one.event_id));
          const bytes = records.reduce((sum, { value }) => sum + (value?.length ?? 0), 0);
          expect(records.length).toBeLessThanOrEqual(2 * Math.ceil(bytes / RECORD_MAX_BYTES));
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe('occurred_at', () => {
  const occurredAt = (timestamp: string, sentAt: string) =>
    linesOf(recordsOf([event({ timestamp })], sentAt))[0]?.['occurred_at'];

  it.each([
    ['the clocks agree', '2026-03-01T09:30:00.000Z', '2026-03-01T10:00:00Z', '2026-03-01T09:30:00.000Z'],
    [
      'a clock is sixty seconds fast',
      '2026-03-01T09:30:00.000Z',
      '2026-03-01T10:01:00Z',
      '2026-03-01T09:30:00.000Z',
    ],
    [
      'a clock is more than sixty seconds fast',
      '2026-03-01T09:30:00.000Z',
      '2026-03-01T10:01:00.001Z',
      '2026-03-01T09:28:59.999Z',
    ],
    [
      'the batch was first sent an hour ago',
      '2026-03-01T08:59:00.000Z',
      '2026-03-01T09:00:00Z',
      '2026-03-01T08:59:00.000Z',
    ],
    [
      'the batch was first sent seven days ago',
      '2026-02-22T09:59:00.000Z',
      '2026-02-22T10:00:00Z',
      '2026-02-22T09:59:00.000Z',
    ],
    [
      'a clock has lost its battery',
      '1970-01-01T00:05:00.000Z',
      '1970-01-01T00:06:00Z',
      '2026-03-01T09:59:00.000Z',
    ],
    [
      'a clock is an hour fast',
      '2026-03-01T10:30:00.000Z',
      '2026-03-01T11:00:00Z',
      '2026-03-01T09:30:00.000Z',
    ],
    [
      'the time has an offset',
      '2026-03-01T11:30:00+02:00',
      '2026-03-01T10:00:00Z',
      '2026-03-01T09:30:00.000Z',
    ],
    [
      'the time has nanoseconds',
      '2026-03-01T09:30:00.123456789Z',
      '2026-03-01T10:00:00Z',
      '2026-03-01T09:30:00.123Z',
    ],
    ['it is in lower case', '2026-03-01t09:30:00.000z', '2026-03-01T10:00:00Z', '2026-03-01T09:30:00.000Z'],
    [
      'it would leave the calendar',
      '9999-12-31T23:59:59.000Z',
      '1970-01-01T00:00:00Z',
      '9999-12-31T23:59:59.999Z',
    ],
    ['it would come before it', '0001-01-01T00:00:00Z', '2126-03-01T10:00:00Z', '0001-01-01T00:00:00.000Z'],
  ])('corrects occurred_at when %s', (_, timestamp, sentAt, expected) => {
    expect(occurredAt(timestamp, sentAt)).toBe(expected);
  });

  it('keeps the timestamp as sent next to occurred_at', () => {
    const [line] = linesOf(recordsOf([event({ timestamp: '2026-03-01T11:30:00+02:00' })]));
    expect(line?.['timestamp']).toBe('2026-03-01T11:30:00+02:00');
  });
});
