import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { type ObjectStore, openObjectStore } from '@switchboard/object-store';
import { expect, it, onTestFinished } from 'vitest';
import { encodeEvents } from '../events/encode.ts';
import { archivedEvent } from '../testing/archived-event.ts';
import { createErasure } from './erasure.ts';

const FILES = ['events/shop/2026-03-01/events-0-1-1.parquet', 'events/shop/2026-03-02/events-0-2-2.parquet'];

async function twoFiles() {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-erasure-'));
  const objects = openObjectStore({ folder });
  onTestFinished(() => rm(folder, { recursive: true }));
  const bytes = encodeEvents([archivedEvent(0), archivedEvent(1, { distinctId: 'grace' })]);
  for (const key of FILES) await objects.put(key, bytes);
  return { objects, bytes: Buffer.from(bytes) };
}

const eraserOn = (objects: ObjectStore) =>
  createErasure({
    objects,
    store: { listReplays: async () => [] },
    replays: { remove: async () => undefined },
  });

const grace = { kind: 'person' as const, projectId: 'shop', distinctIds: ['grace'], userId: null };

it('rewrites every file of the project', async () => {
  const { objects } = await twoFiles();
  await eraserOn(objects).erasePerson?.(grace, new AbortController().signal);
  for (const key of FILES) {
    const object = await objects.get(key);
    expect(object && (await buffer(object.body))).toEqual(Buffer.from(encodeEvents([archivedEvent(0)])));
  }
});

it('writes nothing more once it is stopped, not even the file that it has read', async () => {
  const { objects, bytes } = await twoFiles();
  const stopping = new AbortController();
  const stopsInTheFirst: ObjectStore = {
    ...objects,
    async get(key) {
      stopping.abort(new Error('stopped'));
      return await objects.get(key);
    },
  };
  const erasing = eraserOn(stopsInTheFirst).erasePerson?.(grace, stopping.signal);
  await expect(erasing).rejects.toThrow('stopped');
  for (const key of FILES) {
    const object = await objects.get(key);
    expect(object && (await buffer(object.body))).toEqual(bytes);
  }
});
