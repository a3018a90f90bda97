import { isObject, MAX_EVENT_LENGTH, MAX_LENGTH, MAX_MESSAGE_LENGTH } from '../../player/messages.ts';

/** Something that happened during a recording. */
export interface Moment {
  key: string;
  /** Milliseconds from the start. */
  at: number;
  kind: 'event' | 'console' | 'page' | 'gap';
  text: string;
  isError: boolean;
}

/** The parts of a recording that the console shows itself, and the messages for the player. */
export interface Contents {
  lengthMs: number;
  moments: Moment[];
  gaps: { from: number; to: number; chunks: number }[];
  /** The JSON of arrays of events. */
  messages: string[];
  /** Events that cannot be played. */
  unreadable: number;
  /** Whether the recording is longer than can be played. */
  isCut: boolean;
}

/** A chunk as the API returns it. */
export interface Chunk {
  seq: number;
  missing: number;
  events: unknown[] | null;
}

interface Recorded {
  type: number;
  timestamp: number;
  data: unknown;
  json: string;
}

const [META, CUSTOM, PLUGIN] = [4, 5, 6];
const MAX_MOMENTS = 5_000;
const MAX_TEXT = 500;
const MAX_LENGTH_MS = 7 * 86_400_000;

/** Reads the chunks of a recording. Everything in them is a stranger's, so each value is checked. */
export function contentsOf(chunks: readonly Chunk[], isCut: boolean): Contents {
  let unreadable = 0;
  let length = 0;
  let isTooLong = isCut;
  const events: Recorded[] = [];
  const lost: { before: Recorded | undefined; after: number; chunks: number }[] = [];
  for (const { missing, events: given } of chunks) {
    const count = missing + (given === null ? 1 : 0);
    if (count > 0) lost.push({ before: events.at(-1), after: events.length, chunks: count });
    for (const one of given ?? []) {
      const event = recordedOf(one);
      if (event === undefined) unreadable++;
      else if (length + event.json.length > MAX_LENGTH) isTooLong = true;
      else {
        events.push(event);
        length += event.json.length;
      }
    }
  }
  const spans = lost.map(({ before, after, chunks: count }) => {
    const next = events[after];
    return {
      from: before?.timestamp ?? next?.timestamp ?? 0,
      to: next?.timestamp ?? Infinity,
      chunks: count,
    };
  });
  const sorted = events.toSorted((one, other) => one.timestamp - other.timestamp);
  const start = sorted[0]?.timestamp ?? 0;
  const played = sorted.filter(({ timestamp }) => timestamp - start <= MAX_LENGTH_MS);
  unreadable += sorted.length - played.length;
  const lengthMs = (played.at(-1)?.timestamp ?? start) - start;
  const inside = (time: number) => Math.min(lengthMs, Math.max(0, time - start));
  const gaps = spans.map(({ from, to, chunks: count }) => ({
    from: inside(from),
    to: inside(to),
    chunks: count,
  }));
  const moments = played.flatMap((event, index) => momentOf(event, index, start) ?? []);
  return {
    ...{ lengthMs, gaps, unreadable, isCut: isTooLong },
    moments: moments.slice(0, MAX_MOMENTS),
    messages: messagesOf(played),
  };
}

function recordedOf(event: unknown): Recorded | undefined {
  if (!isObject(event)) return undefined;
  const { type, timestamp, data } = event;
  const isType = typeof type === 'number' && Number.isInteger(type) && type >= 0 && type <= PLUGIN;
  if (!isType || typeof timestamp !== 'number' || !Number.isFinite(timestamp) || timestamp < 0)
    return undefined;
  try {
    const json = JSON.stringify(event);
    return json.length > MAX_EVENT_LENGTH ? undefined : { type, timestamp, data, json };
  } catch {
    // Nested too deeply.
    return undefined;
  }
}

function momentOf({ type, timestamp, data }: Recorded, index: number, start: number): Moment | undefined {
  if (!isObject(data)) return undefined;
  const moment = { key: `${index}`, at: timestamp - start, isError: false };
  const { tag, plugin, payload, href } = data;
  if (type === META && typeof href === 'string' && URL.canParse(href)) {
    return { ...moment, kind: 'page', text: cut(new URL(href).pathname) };
  }
  if (!isObject(payload)) return undefined;
  if (type === CUSTOM && tag === 'switchboard.event' && typeof payload['name'] === 'string') {
    return { ...moment, kind: 'event', text: cut(payload['name']) };
  }
  if (type !== PLUGIN || plugin !== 'rrweb/console@1' || !Array.isArray(payload['payload'])) return undefined;
  const parts = payload['payload'].filter((one) => typeof one === 'string').map(unquote);
  const isError = payload['level'] === 'error' || payload['level'] === 'assert';
  return { ...moment, kind: 'console', text: cut(parts.join(' ')), isError };
}

/** The recorder writes values of the console as JSON. */
function unquote(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? value : text;
  } catch {
    return text;
  }
}

const cut = (text: string) => (text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}…`);

function messagesOf(events: readonly Recorded[]): string[] {
  const messages: string[] = [];
  let pending: string[] = [];
  let length = 0;
  for (const { json } of events) {
    if (length + json.length > MAX_MESSAGE_LENGTH && pending.length > 0) {
      messages.push(`[${pending.join(',')}]`);
      [pending, length] = [[], 0];
    }
    pending.push(json);
    length += json.length + 1;
  }
  return pending.length === 0 ? messages : [...messages, `[${pending.join(',')}]`];
}
