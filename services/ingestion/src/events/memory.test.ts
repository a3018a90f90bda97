import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { OutgoingRecord, Published } from '@switchboard/event-log';
import { systemClock } from '@switchboard/runtime';
import { expect, it } from 'vitest';
import { batch, event } from '../testing/service.ts';
import { createEvents } from './events.ts';
import { type ScannedBatch, scanBatch } from './scan/scan-batch.ts';

setFlagsFromString('--expose-gc');
const gc: () => void = runInNewContext('gc');

const clock = systemClock;
const partitions = async () => 4;

const BATCHES = 200;
/** Enough events for more than half of the memory that Node.js shares among small buffers. */
const EVENTS = 100;

function body(): string {
  const many = Array.from({ length: EVENTS }, (_, i) =>
    event({ distinct_id: `user-${i}`, properties: { text: 'x'.repeat(400) } }),
  );
  return JSON.stringify(batch(many));
}

function scannedFrom(bytes: Buffer): ScannedBatch {
  const scanned = scanBatch(bytes);
  if (scanned === undefined) throw new Error('not scanned');
  return scanned;
}

it('keeps only the records of a batch in memory while they are stored', async () => {
  const stored = Promise.withResolvers<never>();
  const kept: OutgoingRecord[][] = [];
  const publish = (_: string, records: OutgoingRecord[]) => {
    kept.push(records);
    return stored.promise;
  };
  const events = createEvents({
    log: { publish, partitions },
    clock,
  });
  const bodies = Array.from({ length: BATCHES }, body);
  const bytes = bodies.reduce((sum, body) => sum + body.length, 0);
  gc();
  const before = process.memoryUsage().heapUsed;
  const accepting = bodies.map((text) => events.accept('p1', scannedFrom(Buffer.from(text))));
  await new Promise(setImmediate);
  gc();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(bytes / 4);
  expect(kept).toHaveLength(BATCHES);
  stored.reject(new Error('the test ends'));
  await Promise.allSettled(accepting);
});

/** Returns the memory outside the heap that each record's value uses. */
const bytesOf = (records: OutgoingRecord[]) => records.map(({ value }) => value?.buffer.byteLength);

it('frees a body once its records are written, and the records once they are stored, unless that fails', async () => {
  const published: { records: OutgoingRecord[]; outcome: PromiseWithResolvers<Published> }[] = [];
  const publish = (_: string, records: OutgoingRecord[]) => {
    const outcome = Promise.withResolvers<Published>();
    published.push({ records, outcome });
    return outcome.promise;
  };
  const events = createEvents({ log: { publish, partitions }, clock });
  const bodies = [body(), body()].map((text) => Buffer.from(text));
  const accepting = bodies.map((bytes) => events.accept('p1', scannedFrom(bytes)));
  await new Promise(setImmediate);
  expect(bodies.map(({ length }) => length)).toEqual([0, 0]);
  const [stored, failed] = published;
  expect(stored?.records.length).toBeGreaterThan(1);
  const before = bytesOf(failed?.records ?? []);
  expect(Math.min(...before.map(Number))).toBeGreaterThan(EVENTS * 400);

  stored?.outcome.resolve({ offsetOf: () => 0n });
  failed?.outcome.reject(new Error('not stored in time'));
  await Promise.allSettled(accepting);
  expect(new Set(bytesOf(stored?.records ?? []))).toEqual(new Set([0]));
  expect(bytesOf(failed?.records ?? [])).toEqual(before);
});

it('does not free a body that is part of larger memory', async () => {
  const events = createEvents({
    log: { publish: async () => ({ offsetOf: () => 0n }), partitions },
    clock,
  });
  const larger = Buffer.from(`${body()}{"another":"body"}`);
  const part = larger.subarray(0, larger.indexOf('{"another"'));
  await events.accept('p1', scannedFrom(part));
  expect(String(larger.subarray(-18))).toBe('{"another":"body"}');
});
