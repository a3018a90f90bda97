import { type Fields, fromSegment, known, textOf, without } from '@switchboard/other-products';
import { Refused, requireTime } from '../../imports/refused.ts';
import { readJsonLines, type Source } from './source.ts';

/** The tables of a warehouse with calls, and the types of these calls. */
const TABLES: Readonly<Record<string, string>> = {
  tracks: 'track',
  pages: 'page',
  screens: 'screen',
  identifies: 'identify',
  groups: 'group',
  aliases: 'alias',
};

const TYPES = Object.values(TABLES);

/** Columns of every table. The others are properties or traits. */
const COLUMNS = [
  'id',
  'message_id',
  'anonymous_id',
  'user_id',
  'event',
  'event_text',
  'timestamp',
  'original_timestamp',
  'received_at',
  'sent_at',
  'uuid',
  'uuid_ts',
  'loaded_at',
];
const PARTS = ['page', 'library', 'os', 'screen', 'campaign'];

/**
 * Reads rows of warehouse tables, and messages as Segment stores them in buckets, as JSON lines:
 * https://segment.com/docs/connections/storage/warehouses/schema.
 */
export const segment: Source = {
  read: readJsonLines,
  convert(record, { eventId, name, lose }) {
    const isMessage =
      textOf(record['messageId']) !== undefined || TYPES.includes(textOf(record['type']) ?? '');
    const message: Fields = isMessage ? { messageId: eventId, ...record } : messageOf(record, name, eventId);
    const timestamp = requireTime(message['timestamp'] ?? message['originalTimestamp'], 'timestamp');
    return fromSegment({ ...message, timestamp }, { now: timestamp }, lose);
  },
};

/** Returns a row as the message that it was. */
function messageOf(row: Fields, name: string, eventId: string): Fields {
  const table = /^[a-z]+/.exec(name.toLowerCase())?.[0] ?? '';
  const event = textOf(row['event_text']) ?? textOf(row['event']);
  const type = event === undefined ? TABLES[table] : 'track';
  if (type === undefined)
    throw new Refused(
      `table: name the file after it, such as pages.jsonl; tables: ${Object.keys(TABLES).join(', ')}`,
    );
  const own: Fields = {};
  const context: Record<string, Fields> & Fields = {};
  for (const [column, value] of Object.entries(without(row, ...COLUMNS))) {
    if (value === null) continue;
    if (column.startsWith('context_')) addContext(context, column.slice('context_'.length), value);
    else own[column] = value;
  }
  return known({
    type,
    messageId: textOf(row['id']) ?? textOf(row['message_id']) ?? eventId,
    userId: row['user_id'] ?? undefined,
    anonymousId: row['anonymous_id'] ?? undefined,
    event,
    timestamp: row['timestamp'] ?? row['original_timestamp'] ?? row['received_at'],
    groupId: own['group_id'],
    previousId: own['previous_id'],
    name: own['name'],
    category: own['category'],
    ...(type === 'identify' || type === 'group'
      ? { traits: without(own, 'group_id') }
      : { properties: without(own, 'previous_id') }),
    context,
  });
}

/** Adds the column of a nested value, such as `page_url` for `page.url`. */
function addContext(context: Fields, column: string, value: unknown): void {
  const part = PARTS.find((one) => column.startsWith(`${one}_`));
  if (column === 'user_agent') context['userAgent'] = value;
  else if (column === 'session_id') context['sessionId'] = textOf(value);
  else if (part === undefined) context[column] = value;
  else {
    const inner = (context[part] ?? {}) as Fields;
    inner[column.slice(part.length + 1)] = value;
    context[part] = inner;
  }
}
