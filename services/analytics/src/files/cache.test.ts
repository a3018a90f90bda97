import { mkdtemp, readdir, readFile, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { openObjectStore, type StoredObject } from '@switchboard/object-store';
import { expect, onTestFinished, test } from 'vitest';
import { createFileCache, FileGone, type HeldFile, TooManyBytes } from './cache.ts';
import { DiskFull } from './disk-full.ts';

const BYTES = 10;
const never = new AbortController().signal;

const file = (key: string, bytes = BYTES) => ({ key, bytes });
const textOf = (key: string) => key.padEnd(BYTES, '.');

/** Opens a cache of the named files. `before` delays their downloads or makes them fail. */
async function cacheOf({
  keys,
  maxBytes = 1000,
  before = async () => undefined,
  bodyOf = ({ body }) => body,
}: {
  keys: readonly string[];
  maxBytes?: number;
  before?: (key: string) => Promise<void>;
  bodyOf?: (object: StoredObject) => Readable;
}) {
  const folder = await mkdtemp(join(tmpdir(), 'cache-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const store = openObjectStore({ folder: join(folder, 'objects') });
  for (const key of keys) await store.put(key, Buffer.from(textOf(key)));
  const downloads: string[] = [];
  const cached = join(folder, 'files');
  const cache = createFileCache({
    objects: {
      async get(key, range) {
        downloads.push(key);
        await before(key);
        const object = await store.get(key, range);
        return object && { ...object, body: bodyOf(object) };
      },
    },
    folder: cached,
    maxBytes,
  });
  await cache.start();
  const bytesOnDisk = async () => {
    const names = await readdir(cached);
    const sizes = await Promise.all(names.map(async (name) => (await stat(join(cached, name))).size));
    return sizes.reduce((sum, size) => sum + size, 0);
  };
  /** Every write to /dev/full fails with a full disk. */
  const fillDisk = (name: string) => symlink('/dev/full', join(cached, name));
  return { cache, store, downloads, bytesOnDisk, fillDisk };
}

const read = (files: readonly HeldFile[]) => Promise.all(files.map(({ path }) => readFile(path, 'utf8')));

test('makes room on a full disk by removing the least recently used files', async () => {
  const { cache, downloads, bytesOnDisk, fillDisk } = await cacheOf({ keys: ['a', 'b', 'c'] });
  for (const key of ['a', 'b']) (await cache.hold([file(key)], never)).release();
  // The copy of this file is the third.
  await fillDisk('2.parquet');
  const held = await cache.hold([file('c')], never);
  expect(await read(held.files)).toEqual([textOf('c')]);
  expect(downloads).toEqual(['a', 'b', 'c', 'c']);
  expect(cache.keys()).toEqual(['b', 'c']);
  expect(await bytesOnDisk()).toBe(2 * BYTES);
});

test('throws an error of its own when the disk is full and every file is in use', async () => {
  const { cache, fillDisk } = await cacheOf({
    keys: ['a', 'b', 'c'],
    before: async (key) => (key === 'c' ? fillDisk('2.parquet') : undefined),
  });
  (await cache.hold([file('a')], never)).release();
  const used = await cache.hold([file('b')], never);
  await expect(cache.hold([file('c')], never)).rejects.toThrow(DiskFull);
  expect(cache.keys()).toEqual(['b']);
  expect(await read(used.files)).toEqual([textOf('b')]);
});

test('keeps the files of later queries when a download fails', async () => {
  const slow = Promise.withResolvers<void>();
  let failures = 0;
  const { cache } = await cacheOf({
    keys: ['a', 'slow'],
    async before(key) {
      if (key === 'slow') await slow.promise;
      else if (failures++ === 0) throw new Error('no answer');
    },
  });
  const first = cache.hold([file('a'), file('slow')], never);
  const failed = expect(first).rejects.toThrow('no answer');
  await expect.poll(() => cache.keys()).not.toContain('a');
  const second = await cache.hold([file('a')], never);
  slow.resolve();
  await failed;
  const third = await cache.hold([file('a')], never);
  expect(await read([...second.files, ...third.files])).toEqual([textOf('a'), textOf('a')]);
});

test('leaves nothing of a download that is interrupted', async () => {
  const { cache, bytesOnDisk } = await cacheOf({
    keys: ['a'],
    bodyOf: () =>
      Readable.from(
        (async function* () {
          yield 'half';
          await sleep(20);
          throw new Error('broke off');
        })(),
      ),
  });
  await expect(cache.hold([file('a')], never)).rejects.toThrow('broke off');
  await expect.poll(bytesOnDisk).toBe(0);
});

test('stops waiting when a query gives up, and continues the download for others', async () => {
  const slow = Promise.withResolvers<void>();
  const { cache, downloads } = await cacheOf({ keys: ['a'], before: () => slow.promise });
  const aborting = new AbortController();
  const first = cache.hold([file('a')], aborting.signal);
  const second = cache.hold([file('a')], never);
  aborting.abort(new Error('too late'));
  await expect(first).rejects.toThrow('too late');
  slow.resolve();
  expect(await read((await second).files)).toEqual([textOf('a')]);
  expect(downloads).toEqual(['a']);
});

test('ends the downloads of a query that gives up, and begins no further ones', async () => {
  const slow = Promise.withResolvers<void>();
  const keys = Array.from({ length: 20 }, (_, index) => `file-${index}`);
  const { cache, downloads, bytesOnDisk } = await cacheOf({ keys, before: () => slow.promise });
  const aborting = new AbortController();
  const asked = cache.hold(
    keys.map((key) => file(key)),
    aborting.signal,
  );
  await expect.poll(() => downloads.length).toBeGreaterThan(0);
  const begun = downloads.length;
  aborting.abort(new Error('too late'));
  await expect(asked).rejects.toThrow('too late');
  slow.resolve();
  await expect.poll(bytesOnDisk).toBe(begun * BYTES);
  expect(cache.keys()).toEqual(keys.slice(0, begun));
  expect(downloads).toHaveLength(begun);
});

test('makes queries wait in turn until their files fit beside those in use', async () => {
  const { cache, bytesOnDisk } = await cacheOf({ keys: ['a', 'b', 'c', 'd'], maxBytes: 2 * BYTES });
  const order: string[] = [];
  const hold = async (name: string, keys: string[], signal = never) => {
    const held = await cache.hold(
      keys.map((key) => file(key)),
      signal,
    );
    order.push(name);
    expect(await bytesOnDisk()).toBeLessThanOrEqual(2 * BYTES);
    return held;
  };
  const first = await hold('first', ['a', 'b']);
  const same = await hold('same files', ['a', 'b']);
  const second = hold('second', ['c', 'd']);
  const third = hold('third', ['a']);
  first.release();
  await sleep(20);
  expect(order).toEqual(['first', 'same files']);
  same.release();
  (await second).release();
  await third;
  expect(order).toEqual(['first', 'same files', 'second', 'third']);
  expect(await bytesOnDisk()).toBeLessThanOrEqual(2 * BYTES);
});

test('lets others proceed when a query gives up waiting for room', async () => {
  const { cache, downloads } = await cacheOf({ keys: ['a', 'b', 'c'], maxBytes: 2 * BYTES });
  const first = await cache.hold([file('a')], never);
  const aborting = new AbortController();
  const second = cache.hold([file('b'), file('c')], aborting.signal);
  const third = cache.hold([file('c')], never);
  aborting.abort(new Error('too late'));
  await expect(second).rejects.toThrow('too late');
  expect(await read((await third).files)).toEqual([textOf('c')]);
  expect(downloads).toEqual(['a', 'c']);
  first.release();
});

test('rejects files that can never fit', async () => {
  const { cache } = await cacheOf({ keys: [], maxBytes: BYTES });
  await expect(cache.hold([file('a'), file('b')], never)).rejects.toThrow(TooManyBytes);
});

test('makes room by removing the least recently used files, and does not download the others again', async () => {
  const { cache, downloads, bytesOnDisk } = await cacheOf({ keys: ['a', 'b', 'c'], maxBytes: 2 * BYTES });
  for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) (await cache.hold([file(key)], never)).release();
  expect(downloads).toEqual(['a', 'b', 'c', 'b']);
  expect(cache.keys()).toEqual(['a', 'b']);
  await expect.poll(bytesOnDisk).toBe(2 * BYTES);
  expect(cache.reads()).toEqual({ hits: 2, misses: 4 });
});

test('deletes a dropped file once no one uses it', async () => {
  const { cache, downloads, bytesOnDisk } = await cacheOf({ keys: ['a'] });
  const held = await cache.hold([file('a')], never);
  await cache.drop(['a']);
  expect(cache.keys()).toEqual([]);
  expect(await read(held.files)).toEqual([textOf('a')]);
  held.release();
  await expect.poll(bytesOnDisk).toBe(0);
  await cache.hold([file('a')], never);
  expect(downloads).toEqual(['a', 'a']);
});

test('downloads a file again after another process deleted it', async () => {
  const { cache, downloads } = await cacheOf({ keys: ['a', 'b'] });
  const held = await cache.hold([file('a'), file('b')], never);
  await held.check();
  await rm(held.files[0]?.path ?? '');
  await expect(held.check()).rejects.toThrow(FileGone);
  held.release();
  const again = await cache.hold([file('a'), file('b')], never);
  expect(await read(again.files)).toEqual([textOf('a'), textOf('b')]);
  expect(downloads).toEqual(['a', 'b', 'a']);
});
