import { type ArchiveFileRecord, archiveFileRecord } from '@switchboard/contracts';
import { expect, it } from 'vitest';
import { useDatabase } from '../testing/database.ts';
import { createFilesStore } from './store.ts';

const { database } = await useDatabase();
const store = createFilesStore(database.drizzle);

const file = (key: string, replaces: string[] = []): ArchiveFileRecord =>
  archiveFileRecord.parse({
    key,
    region: 'eu',
    project: null,
    bucket: null,
    buckets: null,
    day: '2026-03-01',
    rows: 1,
    bytes: 1,
    firstOccurredAt: '2026-03-01T00:00:00.000Z',
    lastOccurredAt: '2026-03-01T00:00:00.000Z',
    eventNames: null,
    replaces,
    createdAt: '2026-03-01T00:00:00.000Z',
  });

it('applies the changes of records that belong together at once', async () => {
  const find = async () => {
    const found = await store.find({ projectId: 'shop', names: undefined }, 10);
    return found.map(({ key }) => key);
  };
  await store.apply('eu', { files: [file('original')], gone: [], offsets: [1n] });
  // A merged file that appeared and disappeared in one batch. Without it, the last file would be read beside the
  // original.
  const changes = { files: [file('rewritten', ['merged'])], gone: ['original', 'merged'] };
  await expect(store.apply('eu', { ...changes, offsets: [2n ** 64n] })).rejects.toThrow();
  expect(await find()).toEqual(['original']);
  await store.apply('eu', { ...changes, offsets: [2n] });
  expect(await find()).toEqual(['rewritten']);
  expect(await store.offsets('eu')).toEqual([2n]);
});
