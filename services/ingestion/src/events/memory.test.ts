import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { OutgoingRecord } from '@switchboard/event-log';
import { systemClock } from '@switchboard/service-kit';
import { expect, it } from 'vitest';
import { batch, event } from '../testing/service.ts';
import { createEvents } from './events.ts';
import { scanBatch } from './scan/scan-batch.ts';

setFlagsFromString('--expose-gc');
const gc: () => void = runInNewContext('gc');

const BATCHES = 200;
const EVENTS = 50;

it('keeps of a batch its records alone while they are stored', async () => {
  const stored = Promise.withResolvers<never>();
  const kept: OutgoingRecord[][] = [];
  const publish = (_: string, records: OutgoingRecord[]) => {
    kept.push(records);
    return stored.promise;
  };
  const events = createEvents({
    log: { publish, placement: async () => ({ first: 0, count: 4 }) },
    clock: systemClock,
  });
  const bodies = Array.from({ length: BATCHES }, () => {
    const many = Array.from({ length: EVENTS }, () => event({ properties: { text: 'x'.repeat(400) } }));
    return JSON.stringify(batch(many));
  });
  const bytes = bodies.reduce((sum, body) => sum + body.length, 0);
  gc();
  const before = process.memoryUsage().heapUsed;
  const accepting = bodies.map((body) => {
    const scanned = scanBatch(Buffer.from(body));
    if (scanned === undefined) throw new Error('not scanned');
    return events.accept('p1', scanned);
  });
  await new Promise(setImmediate);
  gc();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(bytes / 4);
  expect(kept).toHaveLength(BATCHES);
  stored.reject(new Error('the test ends'));
  await Promise.allSettled(accepting);
});
