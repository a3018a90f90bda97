import { z } from 'zod';

/** The contents of a recording that lists select by. */
export interface Facts {
  /** The origins and paths of its pages, in order. */
  pages: string[];
  /** The names of the events that the SDK sent during it, in order. */
  eventNames: string[];
  /** The number of errors in the console. */
  errors: number;
}

export const MAX_PAGES = 50;
export const MAX_EVENT_NAMES = 100;
const MAX_PAGE_LENGTH = 500;

/** The types of rrweb's events that contain facts: meta, custom and plugin. */
export const FACT_TYPES: readonly number[] = [4, 5, 6];

const factEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal(4), data: z.object({ href: z.string() }) }),
  z.object({
    type: z.literal(5),
    data: z.object({
      tag: z.literal('switchboard.event'),
      payload: z.object({ name: z.string().min(1).max(200) }),
    }),
  }),
  z.object({
    type: z.literal(6),
    data: z.object({
      plugin: z.literal('rrweb/console@1'),
      payload: z.object({ level: z.enum(['error', 'assert']) }),
    }),
  }),
]);

export const noFacts = (): Facts => ({ pages: [], eventNames: [], errors: 0 });

/** Adds the facts of an rrweb event. Ignores events of another shape. */
export function addFacts(facts: Facts, event: unknown): void {
  const { data: found } = factEvent.safeParse(event);
  if (found === undefined) return;
  if (found.type === 6) facts.errors++;
  else if (found.type === 5) addName(facts.eventNames, found.data.payload.name, MAX_EVENT_NAMES);
  else if (URL.canParse(found.data.href)) {
    // Queries and fragments may contain secrets.
    const { origin, pathname } = new URL(found.data.href);
    addName(facts.pages, `${origin}${pathname}`.slice(0, MAX_PAGE_LENGTH), MAX_PAGES);
  }
}

/** Returns the facts of a recording with those of another part of it. */
export function mergeFacts(one: Facts, other: Facts): Facts {
  const merged = {
    pages: [...one.pages],
    eventNames: [...one.eventNames],
    errors: one.errors + other.errors,
  };
  for (const page of other.pages) addName(merged.pages, page, MAX_PAGES);
  for (const name of other.eventNames) addName(merged.eventNames, name, MAX_EVENT_NAMES);
  return merged;
}

function addName(names: string[], name: string, most: number): void {
  // PostgreSQL stores neither NUL nor half a character.
  const stored = name.replaceAll('\0', '').toWellFormed();
  if (names.length < most && stored !== '' && !names.includes(stored)) names.push(stored);
}
