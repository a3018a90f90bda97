import {
  auditText,
  DEAD_LETTER_SHOWN,
  type DeadLetter,
  type DeadLetterDetails,
  type DeadLetterReplay,
  type DeadLetterReplayed,
  deadLetterTopic,
} from '@switchboard/contracts';
import type { Database } from '@switchboard/database';
import type { EventLog, StoredRecord } from '@switchboard/event-log';
import {
  type AuditedChange,
  BadRequest,
  NotFound,
  type PageRequest,
  Unavailable,
  unknownCursor,
} from '@switchboard/http';
import { originalOf, ownHeaders, placeKey, type ReadLetters, readLetters } from './records.ts';
import { createDeadLettersStore, type LetterFilter, type LetterPlace, type LetterRow } from './store.ts';

const MAX_SCANNED = 5_000;
const MAX_REPLAYED = 5_000;
const MAX_REPLAYED_BYTES = 16_777_216;
const MAX_SEND_BYTES = 2_097_152;
const MAX_HEADERS = 50;

/** The records that consumers could not read or store. */
export interface DeadLetters {
  list(
    filter: LetterFilter & { reason?: string | undefined },
    page: PageRequest,
  ): Promise<{ deadLetters: DeadLetter[]; nextCursor: string | null }>;
  /** Throws NotFound. */
  get(topic: string, place: LetterPlace): Promise<DeadLetterDetails>;
  /** Throws BadRequest if the selected letters are too large for a call. */
  replay(change: AuditedChange, request: DeadLetterReplay): Promise<DeadLetterReplayed>;
}

interface DeadLettersOptions {
  db: Database['drizzle'];
  log: Pick<EventLog, 'lag' | 'consume' | 'publish' | 'partitions'>;
}

export function createDeadLetters({ db, log }: DeadLettersOptions): DeadLetters {
  const store = createDeadLettersStore(db);

  /** Publishes the records of letters again, in their order. */
  async function publish(topic: string, rows: readonly LetterRow[], { records }: ReadLetters) {
    const found = rows.flatMap((row) => records.get(placeKey(placeOf(row))) ?? []);
    const partitions = await log.partitions(topic);
    for (let at = 0; at < found.length; ) {
      let end = at;
      for (let bytes = 0; end < found.length && (end === at || bytes < MAX_SEND_BYTES); end++)
        bytes += found[end]?.value?.length ?? 0;
      await log.publish(
        topic,
        found.slice(at, end).map((record) => originalOf(record, partitions)),
      );
      at = end;
    }
  }

  return {
    async list({ reason, ...filter }, { cursor, limit }) {
      const before = cursor === undefined ? undefined : cursorId(cursor);
      const most = reason === undefined ? limit : MAX_SCANNED;
      const scanned = await store.list(filter, before, most + 1);
      const read = scanned.slice(0, most);
      const found = reason === undefined ? read : read.filter((row) => row.reason.includes(reason));
      const page = found.slice(0, limit);
      const last = found.length > limit ? page.at(-1) : scanned.length > most ? read.at(-1) : undefined;
      return { deadLetters: page.map(letterOf), nextCursor: last === undefined ? null : String(last.id) };
    },

    async get(topic, place) {
      const row = await store.find(topic, place);
      if (row === undefined) throw new NotFound('Dead letter not found.');
      const { records, gone } = await readLetters(log, topic, [place]);
      const record = records.get(placeKey(place));
      if (gone.size > 0) throw new NotFound('The event log no longer has the dead letter.');
      if (record === undefined) throw new Unavailable('The event log did not answer in time.');
      return { ...letterOf(row), ...contentOf(record) };
    },

    replay: (change, { topic, letters, again, ...request }) =>
      change.transaction(async (tx) => {
        const own = createDeadLettersStore(tx);
        const through = request.through ?? (await own.newest(topic));
        const filter = { topic, projectId: request.projectId, reason: request.reason, through };
        const locked = letters ? await own.lock(topic, letters) : await own.lockWaiting(filter, MAX_REPLAYED);
        const due = locked.filter(({ replays }) => again || replays === 0);
        const taken = within(due, MAX_REPLAYED_BYTES);
        if (letters !== undefined && taken.length < due.length)
          throw new BadRequest(`letters: more than ${MAX_REPLAYED_BYTES} bytes; select fewer`);
        const read = await readLetters(log, topic, taken.map(placeOf));
        const isRead = (row: LetterRow) => read.records.has(placeKey(placeOf(row)));
        const isGone = (row: LetterRow) => read.gone.has(placeKey(placeOf(row)));
        const replayed = taken.filter(isRead);
        const gone = taken.filter(isGone);
        if (taken.length > 0 && replayed.length + gone.length === 0)
          throw new Unavailable('The event log did not answer in time.');
        await publish(topic, replayed, read);
        await own.markReplayed(replayed.map(({ id }) => id));
        await own.remove(gone.map(({ id }) => id));
        const result = {
          replayed: replayed.length,
          skipped: letters === undefined ? 0 : letters.length - due.length,
          gone: gone.length,
          remaining:
            letters === undefined
              ? await own.countWaiting(filter)
              : due.length - replayed.length - gone.length,
        };
        change.describe({
          object: `dead-letters:${topic}`,
          after: {
            ...(letters && { letters: letters.map(placeKey), again }),
            ...(request.projectId !== undefined && { projectId: request.projectId }),
            ...(request.reason !== undefined && { reason: request.reason }),
            ...result,
          },
        });
        return { ...result, through };
      }),
  };
}

/** Returns the first rows with these bytes together; at least one. */
function within(rows: readonly LetterRow[], maxBytes: number): LetterRow[] {
  let bytes = 0;
  return rows.filter((row, at) => {
    bytes += row.bytes;
    return at === 0 || bytes <= maxBytes;
  });
}

function cursorId(cursor: string): number {
  if (!/^\d{1,15}$/.test(cursor)) throw unknownCursor();
  return Number(cursor);
}

const placeOf = ({ logPartition, logOffset }: LetterRow): LetterPlace => ({
  partition: logPartition,
  offset: logOffset,
});

function letterOf(row: LetterRow): DeadLetter {
  const { reason, projectId, requestId, bytes, replays } = row;
  return {
    topic: deadLetterTopic.parse(row.topic),
    ...placeOf(row),
    deadLetteredAt: row.deadLetteredAt.toISOString(),
    ...{ reason, projectId, requestId, bytes, replays },
    replayedAt: row.replayedAt?.toISOString() ?? null,
  };
}

function contentOf({ key, headers, value }: StoredRecord) {
  const shown = Object.entries(ownHeaders(headers)).slice(0, MAX_HEADERS);
  // A character takes at most four bytes.
  const text = value?.subarray(0, DEAD_LETTER_SHOWN * 4).toString('utf8') ?? null;
  return {
    key: key === null ? null : auditText(key),
    headers: Object.fromEntries(shown.map(([name, one]) => [auditText(name), auditText(one)])),
    value: text === null ? null : text.slice(0, DEAD_LETTER_SHOWN).toWellFormed(),
    isCut: value !== null && Buffer.byteLength(text?.slice(0, DEAD_LETTER_SHOWN) ?? '') < value.length,
  };
}
