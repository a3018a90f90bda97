import { useEffect, useRef, useState } from 'react';
import { forgetToken, getSession, SignedOut } from '../../app/session.ts';
import { readData } from '../../live/read-data.ts';

/** An event as the stream sends it. */
export interface LiveEvent {
  eventId: string;
  name: string;
  distinctId: string;
  sessionId: string | null;
  occurredAt: string;
  receivedAt: string;
  properties: unknown;
  context: unknown;
  /** Whether properties and context are left out because of their size. */
  omitted: boolean;
}

interface Message {
  type: 'ready' | 'events' | 'archived' | 'erased';
  events?: readonly LiveEvent[];
  skipped?: number;
  eventIds?: readonly string[];
  distinctIds?: readonly string[];
}

export interface Live {
  /** The newest first. */
  events: readonly LiveEvent[];
  /** The ids of those that are archived. */
  archived: ReadonlySet<string>;
  /** The ids of people who were erased since the stream began. */
  erased: ReadonlySet<string>;
  /** The number of events that the stream left out. */
  skipped: number;
  /** When the stream last opened, as RFC 3339. */
  openedAt: string | undefined;
  isOpen: boolean;
  error: Error | undefined;
}

interface Wanted {
  projectId: string;
  name: string | undefined;
  person: string | undefined;
}

const MAX_EVENTS = 500;
const RETRY_MS = 2_000;
/** A filter that is being typed opens no stream for each letter. */
const SETTLED_MS = 300;
const NOTHING: Live = {
  events: [],
  archived: new Set(),
  erased: new Set(),
  skipped: 0,
  openedAt: undefined,
  isOpen: false,
  error: undefined,
};

/** Keeps the latest events of a project as they are accepted. Opens the stream again when it ends. */
export function useLiveEvents({ projectId, name, person }: Wanted): Live {
  const [live, setLive] = useState(NOTHING);
  useEffect(() => {
    const closing = new AbortController();
    const { signal } = closing;
    setLive(NOTHING);
    const take = (message: Message) => setLive((before) => withMessage(before, message));
    const follow = async () => {
      while (!signal.aborted) {
        const error = await readStream({ projectId, name, person }, take, signal);
        if (signal.aborted) return;
        setLive((before) => ({ ...before, isOpen: false, error }));
        if (error instanceof Refused || error instanceof SignedOut) return;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    };
    const timer = setTimeout(() => void follow(), SETTLED_MS);
    return () => {
      clearTimeout(timer);
      closing.abort();
    };
  }, [projectId, name, person]);
  return live;
}

/** Returns what was live when it was paused, until it is resumed. */
export function usePaused(live: Live, isPaused: boolean): Live {
  const shown = useRef(live);
  if (!isPaused) shown.current = live;
  const { archived, erased } = live;
  return isPaused ? { ...withoutErased(shown.current, erased), archived } : live;
}

/** The API refuses the stream, and would refuse it again. */
class Refused extends Error {
  override name = 'Refused';
}

/** Reads until the stream ends. Returns the error that ended it. */
async function readStream(
  { projectId, name, person }: Wanted,
  take: (message: Message) => void,
  signal: AbortSignal,
): Promise<Error | undefined> {
  try {
    const { token, hosts } = await getSession();
    const url = new URL(`${hosts.api}/v1/projects/${encodeURIComponent(projectId)}/live-events`);
    if (name !== undefined) url.searchParams.set('name', name);
    if (person !== undefined) url.searchParams.set('distinct_id', person);
    const response = await fetch(url, { headers: { Authorization: `Bearer ${token}` }, signal });
    if (response.status === 401) forgetToken();
    if (response.body === null || !response.ok) return await refusalOf(response);
    for await (const data of readData(response.body)) take(JSON.parse(data));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

async function refusalOf(response: Response): Promise<Error> {
  const { error } = await response.json().catch(() => ({}));
  const message = error?.message ?? `The stream of events failed with status ${response.status}.`;
  return [400, 403, 404].includes(response.status) ? new Refused(message) : new Error(message);
}

const withoutErased = (live: Live, erased: ReadonlySet<string>): Live => ({
  ...live,
  erased,
  events: live.events.filter(({ distinctId }) => !erased.has(distinctId)),
});

function withMessage(
  live: Live,
  { type, events = [], skipped = 0, eventIds = [], distinctIds = [] }: Message,
): Live {
  if (type === 'ready')
    return { ...live, openedAt: new Date().toISOString(), isOpen: true, error: undefined };
  if (type === 'archived') return { ...live, archived: new Set([...live.archived, ...eventIds]) };
  if (type === 'erased') return withoutErased(live, new Set([...live.erased, ...distinctIds]));
  // A stream that opens again repeats events that are not archived yet.
  const known = new Set(live.events.map(({ eventId }) => eventId));
  const added = events.filter(({ eventId }) => !known.has(eventId));
  const latest = [...added.toReversed(), ...live.events].slice(0, MAX_EVENTS);
  return {
    ...live,
    events: latest,
    // Forgets events that are no longer listed.
    archived: new Set(latest.flatMap(({ eventId }) => (live.archived.has(eventId) ? [eventId] : []))),
    skipped: live.skipped + skipped,
  };
}
