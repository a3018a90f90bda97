import type { ExpiringData } from '@switchboard/database';
import type { FilesStore } from '../files/store.ts';
import type { ImportsStore } from '../imports/store.ts';
import type { Erasure } from '../replays/erasure.ts';
import type { ReplaysStore } from '../replays/store.ts';
import { dayOf } from '../rows/file-keys.ts';

const FILES_AT_ONCE = 1_000;
const SESSIONS_AT_ONCE = 50;
const PARTS_AT_ONCE = 5_000;
const TOMBSTONES_AT_ONCE = 5_000;
/** Longer than the topic `replays` keeps chunks, so that no chunk of a deleted session outlives its tombstone. */
const TOMBSTONE_DAYS = 400;

/** Expires events of days that ended `days` ago. Their objects are deleted like those of merged files. */
export function expiringEvents(
  store: Pick<FilesStore, 'expire' | 'oldestDay'>,
  days?: number,
): ExpiringData[] {
  return [
    {
      kind: 'archived events',
      days,
      removeBefore: async (time) => ({ rows: await store.expire(dayOf(time.getTime()), FILES_AT_ONCE) }),
      async oldest() {
        const day = await store.oldestDay();
        return day === undefined ? undefined : new Date(day);
      },
    },
  ];
}

/** Expires imports with their events, which are accepted when they are imported. */
export function expiringImports(
  store: Pick<ImportsStore, 'removeBefore' | 'oldest'>,
  days?: number,
): ExpiringData[] {
  return [
    {
      kind: 'imports',
      days,
      removeBefore: async (time) => ({ rows: await store.removeBefore(time, PARTS_AT_ONCE) }),
      oldest: store.oldest,
    },
  ];
}

interface RecordingsOptions {
  store: Pick<ReplaysStore, 'findReceivedBefore' | 'oldestReceived' | 'removeTombstones' | 'oldestTombstone'>;
  erasure: Pick<Erasure, 'remove'>;
  days: number | undefined;
}

/** Expires recordings, and the tombstones of deleted ones. */
export function expiringRecordings({ store, erasure, days }: RecordingsOptions): ExpiringData[] {
  return [
    {
      kind: 'recordings',
      days,
      async removeBefore(time) {
        const sessions = await store.findReceivedBefore(time, SESSIONS_AT_ONCE);
        let objects = 0;
        for (const session of sessions) objects += await erasure.remove(session);
        return { rows: sessions.length, objects };
      },
      oldest: () => store.oldestReceived(),
    },
    {
      kind: 'recording tombstones',
      days: TOMBSTONE_DAYS,
      removeBefore: async (time) => ({ rows: await store.removeTombstones(time, TOMBSTONES_AT_ONCE) }),
      oldest: () => store.oldestTombstone(),
    },
  ];
}
