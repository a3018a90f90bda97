import { buffer } from 'node:stream/consumers';
import { type EventLookupResult, ingestionTopics } from '@switchboard/contracts';
import type { EventLog } from '@switchboard/event-log';
import type { ObjectStore } from '@switchboard/object-store';
import { eventKey, type Place } from './archived-event.ts';
import { EVENTS_GROUP } from './consumer.ts';
import { findRow } from './encode.ts';
import { fileKey } from './files.ts';
import type { EventHistory, EventsStore } from './store.ts';

interface EventLookupOptions {
  store: Pick<EventsStore, 'findHistory' | 'segmentsAt' | 'readProgress'>;
  log: Pick<EventLog, 'lag'>;
  objects: Pick<ObjectStore, 'get'>;
}

export interface EventLookup {
  find(projectId: string, eventId: string): Promise<EventLookupResult>;
}

const TOPIC = ingestionTopics.events;

/** Tells where an event is, from the archive's history of the last seven days. */
export function createEventLookup({ store, log, objects }: EventLookupOptions): EventLookup {
  async function find(projectId: string, eventId: string): Promise<EventLookupResult> {
    const key = eventKey(projectId, eventId);
    const history = await store.findHistory(key);
    if (hasAny(history)) return describe(projectId, eventId, history);
    // In this order: an event accepted earlier is below these ends, and what is read below them has a history.
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
    const found = await store.segmentsAt(place.partition, place.offset);
    const files = found
      .filter((segment) => segment.isStored)
      .map((segment) => fileKey(segment, { projectId, receivedAt: Date.parse(place.at) }));
    for (const file of files) {
      const object = await objects.get(file);
      const row = object && (await findRow(await buffer(object.body), place));
      if (row !== undefined) return { file, row };
    }
    const [file] = files;
    return file === undefined ? undefined : { file, row: null };
  }

  async function countUnread() {
    const lags = await log.lag(EVENTS_GROUP, [TOPIC]);
    const known = new Map((await store.readProgress()).map((one) => [one.partition, one]));
    let records = 0n;
    const behind: string[] = [];
    for (const { partition, committed, end } of lags) {
      const reached = known.get(partition);
      // Progress beyond the end is that of an earlier topic of this name.
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
