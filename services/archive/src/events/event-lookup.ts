import { coversProject, type EventLookupResult, ingestionTopics } from '@switchboard/contracts';
import type { EventLog } from '@switchboard/event-log';
import type { ObjectStore } from '@switchboard/object-store';
import type { FilesStore, KnownFile } from '../files/store.ts';
import { fileKey, formerFileKey, ownFileKey } from '../rows/file-keys.ts';
import { FileGone, openFile } from '../rows/read.ts';
import type { Place } from '../rows/row.ts';
import { EVENTS_GROUP } from './consumer.ts';
import { eventKey } from './event-key.ts';
import type { EventHistory, EventsStore } from './store.ts';

interface EventLookupOptions {
  store: Pick<EventsStore, 'findHistory' | 'segmentsAt' | 'readProgress'>;
  files: Pick<FilesStore, 'find' | 'madeBy'>;
  log: Pick<EventLog, 'lag'>;
  objects: Pick<ObjectStore, 'get'>;
}

export interface EventLookup {
  find(projectId: string, eventId: string): Promise<EventLookupResult>;
}

const TOPIC = ingestionTopics.events;
/** The maximum number of merges and erasures that a row is followed through. */
const MAX_STEPS = 100;

/** Finds the location of an event, using the archive's history of the last seven days. */
export function createEventLookup({ store, files, log, objects }: EventLookupOptions): EventLookup {
  async function find(projectId: string, eventId: string): Promise<EventLookupResult> {
    const key = eventKey(projectId, eventId);
    const history = await store.findHistory(key);
    if (hasAny(history)) return describe(projectId, eventId, history);
    // This order matters: an event accepted earlier is below these ends, and everything read below them has a
    // history.
    const unread = await countUnread();
    const later = await store.findHistory(key);
    return { ...(await describe(projectId, eventId, later)), unread: hasAny(later) ? null : unread };
  }

  async function describe(
    projectId: string,
    eventId: string,
    history: EventHistory,
  ): Promise<EventLookupResult> {
    const { first, duplicates, deadLetters } = history;
    const archived = first && (await findFile(projectId, first));
    const seen = first ? 'accepted' : deadLetters.length > 0 ? 'dead_letter' : 'not_seen';
    return {
      eventId,
      state: archived ? 'archived' : seen,
      accepted: first ? presentPlace(first) : null,
      archived: archived ?? null,
      duplicates: duplicates.map(presentPlace),
      deadLetters: deadLetters.map(({ reason, ...place }) => ({ ...presentPlace(place), reason })),
      unread: null,
    };
  }

  async function findFile(projectId: string, place: Place & { at: string }) {
    const receivedAt = Date.parse(place.at);
    const segments = (await store.segmentsAt(place.partition, place.offset)).filter((one) => one.isStored);
    const keys = segments.flatMap((segment) => [
      ownFileKey(segment, { projectId, receivedAt }),
      fileKey(segment, receivedAt),
      formerFileKey(segment, { projectId, receivedAt }),
    ]);
    const known = new Map((await files.find(keys)).map((file) => [file.key, file]));
    const written = keys.flatMap((key) => known.get(key) ?? []);
    for (const file of await currentFiles(projectId, written)) {
      const row = await findRow(projectId, file, { ...place, receivedAt });
      if (row !== undefined) return { file: file.key, row };
    }
    const [file] = written;
    if (file !== undefined) return { file: file.key, row: null };
    const [segment] = segments;
    if (segment === undefined) return undefined;
    const old = formerFileKey(segment, { projectId, receivedAt });
    return {
      file: old,
      row: (await findRow(projectId, { key: old, bytes: 0 }, { ...place, receivedAt })) ?? null,
    };
  }

  /** Returns the files that now contain the rows that a project had in these files. */
  async function currentFiles(projectId: string, written: readonly KnownFile[]): Promise<KnownFile[]> {
    const current: KnownFile[] = [];
    let left = [...written];
    for (let step = 0; step < MAX_STEPS && left.length > 0; step++) {
      current.push(...left.filter(({ replacedBy }) => replacedBy === null));
      const steps = new Set(left.flatMap(({ replacedBy }) => replacedBy ?? []));
      const made = await Promise.all([...steps].map((one) => files.madeBy(one)));
      left = made.flat().filter((file) => coversProject({ ...file, project: file.projectId }, projectId));
    }
    return current;
  }

  async function findRow(
    projectId: string,
    file: Pick<KnownFile, 'key' | 'bytes'>,
    place: Place & { receivedAt: number },
  ) {
    try {
      return await (await openFile(objects, file))?.findRow(projectId, place);
    } catch (error) {
      if (error instanceof FileGone) return undefined;
      throw error;
    }
  }

  async function countUnread() {
    const lags = await log.lag(EVENTS_GROUP, [TOPIC]);
    const known = new Map((await store.readProgress()).map((one) => [one.partition, one]));
    let records = 0n;
    const behind: string[] = [];
    for (const { partition, committed, end } of lags) {
      const reached = known.get(partition);
      // Progress beyond the end belongs to an earlier topic of this name.
      const isOfThisTopic = reached !== undefined && reached.nextOffset <= end;
      const next = isOfThisTopic && reached.nextOffset > committed ? reached.nextOffset : committed;
      if (next >= end) continue;
      records += end - next;
      if (isOfThisTopic) behind.push(reached.acceptedAt);
    }
    return { records: Number(records), since: behind.sort()[0] ?? null };
  }

  return { find };
}

function hasAny({ first, duplicates, deadLetters }: EventHistory): boolean {
  return first !== undefined || duplicates.length > 0 || deadLetters.length > 0;
}

function presentPlace({ partition, offset, line, at }: Place & { at: string }) {
  return { topic: TOPIC, partition, offset: Number(offset), line, at };
}
