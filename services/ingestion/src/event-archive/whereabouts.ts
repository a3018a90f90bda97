import { buffer } from 'node:stream/consumers';
import { type EventWhereabouts, ingestionTopics } from '@switchboard/contracts';
import type { Database } from '@switchboard/database';
import type { EventLog } from '@switchboard/event-log';
import type { ObjectStore } from '@switchboard/object-store';
import { eventKey, type Place } from './archived-event.ts';
import { eventArchiveGroup } from './event-archive.ts';
import { fileKey } from './files.ts';
import { findRow } from './parquet.ts';
import { readProgress } from './progress.ts';
import { createSegments } from './segments.ts';
import { findTraces, type Traces } from './traces.ts';

interface WhereaboutsOptions {
  database: Pick<Database, 'drizzle'>;
  log: Pick<EventLog, 'lag'>;
  /** Undefined where this process knows of no archive. */
  objects: Pick<ObjectStore, 'get'> | undefined;
}

export interface Whereabouts {
  find(projectId: string, eventId: string): Promise<EventWhereabouts>;
}

const topic = ingestionTopics.events;

/** Tells what became of an event, from what the archive remembers of the last seven days. */
export function createWhereabouts({ database, log, objects }: WhereaboutsOptions): Whereabouts {
  const segments = createSegments(database);

  async function find(projectId: string, eventId: string): Promise<EventWhereabouts> {
    const key = eventKey(projectId, eventId);
    const traces = await findTraces(database, key);
    if (hasAny(traces)) return describe(projectId, eventId, traces);
    // In this order: an event accepted before is below these ends, and below what is read it has left a trace.
    const unread = await whatIsUnread();
    const later = await findTraces(database, key);
    return { ...(await describe(projectId, eventId, later)), unread: hasAny(later) ? null : unread };
  }

  async function describe(projectId: string, eventId: string, traces: Traces): Promise<EventWhereabouts> {
    const { first, duplicates, deadLetters } = traces;
    const archived = first && (await fileOf(projectId, first));
    const seen = first ? 'accepted' : deadLetters.length > 0 ? 'dead_letter' : 'not_seen';
    return {
      eventId,
      state: archived ? 'archived' : seen,
      accepted: first ? answered(first) : null,
      archived: archived ?? null,
      duplicates: duplicates.map(answered),
      deadLetters: deadLetters.map(({ reason, ...place }) => ({ ...answered(place), reason })),
      unread: null,
    };
  }

  async function fileOf(projectId: string, place: Place & { at: string }) {
    const found = await segments.at(place.partition, place.offset);
    const files = found
      .filter((segment) => segment.isStored)
      .map((segment) => fileKey(segment, { projectId, receivedAt: Date.parse(place.at) }));
    for (const file of files) {
      const object = await objects?.get(file);
      const row = object && (await findRow(await buffer(object.body), place));
      if (row !== undefined) return { file, row };
    }
    const [file] = files;
    return file === undefined ? undefined : { file, row: null };
  }

  async function whatIsUnread() {
    const lags = await log.lag(eventArchiveGroup, [topic]);
    const known = new Map((await readProgress(database)).map((one) => [one.partition, one]));
    let records = 0n;
    const behind: string[] = [];
    for (const { partition, committed, end } of lags) {
      const reached = known.get(partition);
      // Beyond the end: of a topic that was made anew since.
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

function hasAny({ first, duplicates, deadLetters }: Traces): boolean {
  return first !== undefined || duplicates.length > 0 || deadLetters.length > 0;
}

function answered({ partition, offset, line, at }: Place & { at: string }) {
  return { topic, partition, offset: Number(offset), line, at };
}
