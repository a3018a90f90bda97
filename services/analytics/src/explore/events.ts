import type { StoredEvent } from '@switchboard/contracts';
import {
  decodeText,
  encodeText,
  joinObjects,
  type PageRequest,
  toPage,
  unknownCursor,
} from '@switchboard/http';
import { z } from 'zod';
import type { Dialect } from '../engine/dialect.ts';
import { allOf, integer, sql, TRUE, text, texts } from '../engine/sql.ts';
import type { PersonsStore } from '../persons/store.ts';
import { TooMuch } from '../query-queue/query-queue.ts';
import type { Json, Result } from '../results/results.ts';
import { DAY_MS, type ExploreOptions, firstPossible, SINCE, startsOf } from './explore.ts';

interface EventsQuery extends PageRequest {
  name?: string | undefined;
  /** Selects the events of every id of this person. */
  distinctId?: string | undefined;
  /** RFC 3339. */
  since?: string | undefined;
}

interface EventsPage {
  events: StoredEvent[];
  nextCursor: string | null;
}

/**
 * The size limit for the properties and context of a page's events. The event that exceeds it is the last of its
 * page. They are sent as stored, because parsed values would take many times as much memory.
 */
export const MAX_PAGE_BYTES = 2_000_000;

/** Lists a page of a project's events, newest first. Throws BadRequest and Unavailable. */
export type ListEvents = (projectId: string, query: EventsQuery) => Promise<Result<EventsPage>>;

const DEFAULT_DAYS = 30;
/** The first period that is searched, before the start of the page. The period doubles until the page is full. */
const FIRST_MS = DAY_MS;
const LEAST_MS = DAY_MS / 24;
/** Limit for future times: an event that claims a later time would stay the newest until then. */
const AHEAD_MS = DAY_MS;
/** The periods to derive the version of a page from, in days, when a project has too many files. */
const VERSION_DAYS = [7, 1];

const eventRows = z.array(
  z.object({
    id: z.string(),
    name: z.string(),
    person: z.string(),
    session: z.string().nullable(),
    t: z.number(),
    received: z.number(),
    properties: z.string().nullable(),
    context: z.string().nullable(),
  }),
);
type EventRow = z.infer<typeof eventRows>[number];

export function createListEvents({
  queue,
  results,
  watermark,
  clock,
  persons,
}: ExploreOptions & { persons: Pick<PersonsStore, 'idsOf'> }): ListEvents {
  return async (projectId, query) => {
    const { name, distinctId, cursor, limit } = query;
    const ids = distinctId === undefined ? undefined : await persons.idsOf(projectId, distinctId);
    const place = cursor === undefined ? undefined : parseCursor(cursor);
    const asOf = watermark.asOf();
    const [since = 0] = startsOf(query.since, [DEFAULT_DAYS], clock);
    const now = clock.now().getTime();
    const top = place?.t ?? now;
    const end = place ? place.t + 1 : query.since === undefined ? now + AHEAD_MS : undefined;
    const bounds = { signal: queue.deadline(), narrowing: SINCE };
    const find = (from: number, to: number | undefined) =>
      queue.find({ projectId, names: name === undefined ? undefined : [name], from, to }, bounds);
    const isWanted = ({ instant, millisOf, rowsOf }: Dialect, from: number, to: number | undefined) =>
      allOf([
        sql`project_id = ${text(projectId)}`,
        sql`occurred_at >= ${instant(from)}`,
        to === undefined ? TRUE : sql`occurred_at < ${instant(to)}`,
        name === undefined ? TRUE : sql`event_name = ${text(name)}`,
        ids === undefined ? TRUE : sql`distinct_id in (${rowsOf(texts(ids))})`,
        place === undefined
          ? TRUE
          : sql`(${millisOf(sql`occurred_at`)} < ${integer(place.t)} or
              (${millisOf(sql`occurred_at`)} = ${integer(place.t)} and event_id < ${text(place.id)}))`,
      ]);

    /** Returns at most `limit` rows, up to the one that exceeds the byte limit. */
    async function rowsBetween(
      from: number,
      to: number | undefined,
      most: number,
      bytes: number,
    ): Promise<EventRow[]> {
      const rows = await queue.run(
        projectId,
        await find(from, to),
        ({ dialect, events }, run) =>
          run(sql`select id, name, person, session, t, received, properties, context from (
            select *, sum(bytes) over (order by t desc, id desc rows unbounded preceding) - bytes as before from (
              select event_id as id, event_name as name, distinct_id as person, session_id as session,
                ${dialect.millisOf(sql`occurred_at`)}::double as t,
                ${dialect.millisOf(sql`received_at`)}::double as received, properties, context,
                ${dialect.bytesOf(sql`properties`)} + ${dialect.bytesOf(sql`context`)} as bytes
              from ${events} where ${isWanted(dialect, from, to)}
              order by occurred_at desc, event_id desc limit ${integer(most)}) as newest) as summed
            where before < ${integer(bytes)} order by t desc, id desc`),
        bounds,
      );
      return eventRows.parse(rows);
    }

    async function read(): Promise<Json<EventsPage>> {
      const rows: EventRow[] = [];
      let bytes = 0;
      let [to, length] = [end, FIRST_MS];
      while (rows.length <= limit && bytes < MAX_PAGE_BYTES && (to === undefined || to > since)) {
        const from = Math.max(Math.min(to ?? top, top) - length, since);
        try {
          for (const row of await rowsBetween(from, to, limit + 1 - rows.length, MAX_PAGE_BYTES - bytes)) {
            rows.push(row);
            bytes += bytesOf(row);
          }
          [to, length] = [from, length * 2];
        } catch (error) {
          const isLeast = length <= LEAST_MS;
          if (!(error instanceof TooMuch) || (isLeast && to === end)) throw error;
          if (isLeast) break;
          length /= 4;
        }
      }
      const { rows: shown, nextCursor } = toPage(rows, limit, cursorOf);
      const last = shown.at(-1);
      const full = last !== undefined && bytes >= MAX_PAGE_BYTES ? cursorOf(last) : null;
      const unread = to !== undefined && to > since ? cursorOf({ t: to, id: '' }) : null;
      return pageJson(shown, nextCursor ?? full ?? unread);
    }

    const versionStarts = [since, ...VERSION_DAYS.map((days) => Math.max(since, top - days * DAY_MS))];
    const { version } = await firstPossible(versionStarts, (from) => find(from, end));
    return results.of(['events', projectId, query, ids, since, version], asOf, read);
  };
}

const bytesOf = ({ properties, context }: EventRow) =>
  Buffer.byteLength(properties ?? '') + Buffer.byteLength(context ?? '');

function pageJson(rows: readonly EventRow[], nextCursor: string | null): Json<EventsPage> {
  return `{"events":[${rows.map(eventJson).join(',')}],"nextCursor":${JSON.stringify(nextCursor)}}`;
}

function eventJson({ properties, context, ...row }: EventRow): Json<StoredEvent> {
  const known = JSON.stringify({
    eventId: row.id,
    name: row.name,
    distinctId: row.person,
    sessionId: row.session,
    occurredAt: new Date(row.t).toISOString(),
    receivedAt: new Date(row.received).toISOString(),
  });
  return joinObjects(known, `{"properties":${properties ?? 'null'},"context":${context ?? 'null'}}`);
}

/** Returns the cursor of an event in the order of pages. */
const cursorOf = ({ t, id }: Pick<EventRow, 't' | 'id'>) => encodeText(`${t} ${id}`);

function parseCursor(cursor: string): { t: number; id: string } {
  const [, t, id] = /^(-?\d{1,15}) (.*)$/s.exec(decodeText(cursor)) ?? [];
  if (t === undefined || id === undefined) throw unknownCursor();
  return { t: Number(t), id };
}
