import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { moved } from '@switchboard/engine';
import { type ObjectStore, openObjectStore } from '@switchboard/object-store';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { encodeEvents } from '../rows/encode.ts';
import { archivedEvent } from '../testing/archived-event.ts';
import { openThreads } from './threads.ts';

let folder: string;
let objects: ObjectStore;
const bytes = encodeEvents([archivedEvent(0), archivedEvent(1)]);
const file = { key: 'events/2026-03-01/a.parquet', bytes: bytes.length };
const erased = { projectId: 'shop', distinctIds: new Set(['ada']) };
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchboard-threads-'));
  objects = openObjectStore({ folder });
  await objects.put(file.key, bytes);
});
afterAll(() => rm(folder, { recursive: true }));

it('reads files in a thread from the object store of its service', async () => {
  const threads = openThreads({ size: 1, objects });
  expect(await threads.use((thread) => thread.hasErased(file, erased))).toBe(true);
  expect(await threads.use((thread) => thread.hasErased(file, { ...erased, distinctIds: new Set() }))).toBe(
    false,
  );
  const gone = { ...file, key: 'events/2026-03-01/b.parquet' };
  expect(await threads.use((thread) => thread.hasErased(gone, erased))).toBeUndefined();
  await threads.stop();
});

it('moves the values of records to a thread, and gets back those it cannot decode', async () => {
  const threads = openThreads({ size: 1, objects });
  const value = new TextEncoder().encode('{\n{}');
  const record = { topic: 'events', partition: 0, offset: 1n, timestamp: 0, key: 'shop', value };
  const headers = { project: 'shop', received_at: '2026-03-01T09:30:00Z' };
  const records = [
    { ...record, value: value.subarray(0, 1), headers },
    { ...record, value: value.subarray(2), headers: {} },
  ];
  const decoded = await threads.use((thread) => thread.decode(moved(records, [value])));
  const found = decoded.flatMap(({ undecodable }) => undecodable.map((one) => one.value ?? []));
  expect(found.map((bytes) => Buffer.from(bytes).toString())).toEqual(['{', '{}']);
  expect(records.map((one) => one.value.length)).toEqual([0, 0]);
  await threads.stop();
});

it('rejects a call when its thread is ended, and gives the next one another thread', async () => {
  const reading = Promise.withResolvers<void>();
  let isHanging = true;
  const threads = openThreads({
    size: 1,
    objects: {
      async get(key, range) {
        reading.resolve();
        if (isHanging) await new Promise(() => undefined);
        return objects.get(key, range);
      },
    },
  });
  const stopping = new AbortController();
  const first = threads.use((thread) => thread.hasErased(file, erased), stopping.signal);
  const second = threads.use((thread) => thread.hasErased(file, erased));
  await reading.promise;
  isHanging = false;
  stopping.abort(new Error('no longer needed'));
  await expect(first).rejects.toThrow('no longer needed');
  expect(await second).toBe(true);
  await threads.stop();
  await expect(threads.use((thread) => thread.hasErased(file, erased))).rejects.toThrow('stopped');
});

it('ends calls in progress when it stops', async () => {
  const reading = Promise.withResolvers<void>();
  const threads = openThreads({
    size: 1,
    objects: {
      async get() {
        reading.resolve();
        return new Promise(() => undefined);
      },
    },
  });
  const call = threads.use((thread) => thread.hasErased(file, erased));
  call.catch(() => undefined);
  await reading.promise;
  await threads.stop();
  await expect(call).rejects.toThrow('stopped');
});
