import { describe, expect, it } from 'vitest';
import {
  type ArchiveFileRecord,
  archivedOffsetsRecord,
  archiveFileRecord,
  bucketOf,
  filesOfProject,
  fnv1a,
  readArchivedOffsets,
} from './files.ts';

const file = (key: string, more: Partial<ArchiveFileRecord> = {}): ArchiveFileRecord =>
  archiveFileRecord.parse({
    key,
    region: 'eu',
    project: null,
    bucket: null,
    buckets: null,
    day: '2026-03-01',
    rows: 1,
    bytes: 1,
    firstOccurredAt: '0000-01-01T00:00:00.000Z',
    lastOccurredAt: '9999-12-31T23:59:59.999Z',
    eventNames: null,
    replaces: [],
    createdAt: '2026-03-01T00:00:00.000Z',
    ...more,
  });

const keysOf = (files: ArchiveFileRecord[], projectId: string) =>
  filesOfProject(files, projectId).map(({ key }) => key);

it('computes the published hashes of FNV-1a', () => {
  expect([fnv1a(''), fnv1a('a'), fnv1a('foobar')]).toEqual([0x811c9dc5, 0xe40c292c, 0xbf9cf968]);
});

it('returns how far the archived events reach, and nothing for an invalid header', () => {
  const offsets = [0n, 12n, 9_007_199_254_740_993n];
  expect(readArchivedOffsets(archivedOffsetsRecord('eu', offsets).headers)).toEqual(offsets);
  for (const headers of [{}, { events: '' }, { events: '1,' }, { events: '-1' }])
    expect(readArchivedOffsets(headers)).toBeUndefined();
});

describe('the files of a project', () => {
  const shop = { bucket: bucketOf('shop', 2), buckets: 2 };
  const blog = { bucket: 1 - shop.bucket, buckets: 2 };

  it('selects the own files of a project, those of its bucket and those of any project', () => {
    const files = [
      file('any'),
      file('own', { project: 'shop' }),
      file('other', { project: 'blog' }),
      file('bucket', shop),
      file('other bucket', blog),
    ];
    expect(keysOf(files, 'shop')).toEqual(['any', 'own', 'bucket']);
  });

  it('replaces files only by a file that covers the project', () => {
    const files = [file('first'), file('second'), file('bucket', { ...blog, replaces: ['first', 'second'] })];
    expect(keysOf(files, 'shop')).toEqual(['first', 'second']);
    const later = [...files, file('own', { project: 'shop', replaces: ['first', 'second'] })];
    expect(keysOf(later, 'shop')).toEqual(['own']);
  });
});
