/**
 * The traffic of the clients. Each item is derived from its project, round and number. The ledger stores only these,
 * and the checks recompute the content.
 */

export const PROJECTS = ['crash-a', 'crash-b'] as const;
export type Project = (typeof PROJECTS)[number];

export const keyOf = (project: Project) => `pk_eu_${project.slice(-1).repeat(32)}`;

/** The key of an item. Both projects count from 0, so they use the same event_ids for different events. */
export interface Numbered {
  project: Project;
  round: number;
  number: number;
}

const HOUR_MS = 3_600_000;
const PEOPLE = 37;
const VISITORS = 23;
const GROUPS = 5;
const SESSIONS = 4;
/** A prime, so that distinct numbers below it give distinct times after multiplication. */
const TIMES = 100_003;
const CLOCK_BEHIND_MS = 365 * 24 * HOUR_MS;

/** The events that webhooks ask for. Few enough that a webhook may wait for all of them. */
export const ANNOUNCED = { event: 'checkout completed', below: 3_000 };
const isCheckout = (number: number) => number % 3 === 0;
export const isAnnounced = (number: number) => isCheckout(number) && number < ANNOUNCED.below;

export const eventId = ({ round, number }: Numbered) => `r${round}-e${number}`;
export const person = ({ round, number }: Numbered) => `r${round}-person-${number % PEOPLE}`;

/** Returns an event of the two days before `base`. `isLate`: from a device with a clock that is a year behind. */
export function eventOf(numbered: Numbered, base: number, isLate: boolean) {
  const { project, number } = numbered;
  const at = base - (number % 48) * HOUR_MS - (isLate ? CLOCK_BEHIND_MS : 0);
  return {
    distinct_id: person(numbered),
    event_id: eventId(numbered),
    event_name: isCheckout(number) ? ANNOUNCED.event : 'page viewed',
    schema_version: 1,
    timestamp: new Date(at).toISOString(),
    session_id: `session-${number % 11}`,
    properties: {
      project,
      number,
      price: number / 100,
      text: `Köln ✓ ${'x'.repeat(number % 200)}`,
      deep: { list: [number, null, number % 2 === 0] },
    },
    context: { locale: 'de-DE', sdk: 'switchboard-js', sdk_version: '1.4.2' },
  };
}

/** Returns the time at which a batch was sent, by a clock that is right or a year behind. */
export function sentAt(isLate: boolean): string {
  return new Date(Date.now() - (isLate ? CLOCK_BEHIND_MS : 0)).toISOString();
}

/** Returns the time of a call, for the newer-wins rule. Times are unique, and not in the order of the numbers. */
export function callTime({ round, number }: Numbered, base: number): number {
  return base + round * TIMES + ((number * 7919) % TIMES);
}

/** Returns the traits of an identify: one that is unique to it, and two that every identify sets. */
export function identifyTraits({ number }: Numbered): Record<string, number | null> {
  return { [`n${number}`]: number, last: number, sometimes: number % 3 === 0 ? null : number };
}

/** Returns the id that an identify joins to its person. Calls of several persons name the same id. */
export function anonymousId({ round, number }: Numbered): string | undefined {
  return number % 3 === 1 ? `r${round}-visitor-${number % VISITORS}` : undefined;
}

/** Returns the traits that a group call sets. Each call moves its person, sometimes out of any group. */
export function groupTraits({ number }: Numbered): Record<string, number> {
  return { [`n${number}`]: number, last: number };
}

export function groupId({ round, number }: Numbered): string | null {
  return number % 7 === 0 ? null : `r${round}-group-${number % GROUPS}`;
}

export const session = ({ round, number }: Numbered) => `r${round}-session-${number % SESSIONS}`;
export const seq = ({ number }: Numbered) => Math.floor(number / SESSIONS);

/** Returns a replay chunk. Every twentieth chunk is too large for one log record. */
export function replayChunk(numbered: Numbered, base: number) {
  const { number } = numbered;
  const filler = number % 20 === 19 ? 1_200_000 : 500;
  return {
    session_id: session(numbered),
    distinct_id: person(numbered),
    seq: seq(numbered),
    masked: true,
    schema_version: 1,
    timestamp: new Date(callTime(numbered, base)).toISOString(),
    events: [0, 1].map((index) => ({
      type: 3,
      timestamp: base + seq(numbered) * 1000 + index,
      data: { number, index, filler: 'y'.repeat(filler / 2) },
    })),
  };
}
