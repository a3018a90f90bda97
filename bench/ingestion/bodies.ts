import { randomBytes, randomUUID } from 'node:crypto';
import { AUTHORIZED } from '../lib/project.ts';

/** The event format of a server, in which each event has a unique number. */
export interface Protocol {
  path: string;
  headers: Readonly<Record<string, string>>;
  /** The placeholder that the load generator replaces with the number. */
  number: string;
  /** The text before the number in a stored event. */
  storedPrefix: string;
  body(events: readonly BenchEvent[]): object;
}

interface BenchEvent {
  person: string;
  name: string;
  at: string;
  session: string;
  properties: object;
  context: object;
}

/** The placeholder that the load generator replaces with a number, so that each event_id is unique. */
export const NUMBER = '#'.repeat(14);
const EVENT_ID_PREFIX = 'bench-event-id-';

export const SWITCHBOARD: Protocol = {
  path: '/v1/events',
  headers: { ...AUTHORIZED, 'Content-Type': 'application/json' },
  number: NUMBER,
  storedPrefix: `"event_id":"${EVENT_ID_PREFIX}`,
  body: (events) => ({
    events: events.map(({ person, name, at, session, properties, context }) => ({
      distinct_id: person,
      event_id: `${EVENT_ID_PREFIX}${NUMBER}`,
      event_name: name,
      schema_version: 1,
      timestamp: at,
      session_id: session,
      properties,
      context,
    })),
    sent_at: new Date().toISOString(),
  }),
};

/** The placeholder for the end of a UUID, in decimal digits. */
const UUID_NUMBER = '#'.repeat(12);
const UUID_PREFIX = '01890000-0000-7000-8000-';

export const CAPTURE: Protocol = {
  path: '/batch',
  headers: { 'Content-Type': 'application/json' },
  number: UUID_NUMBER,
  storedPrefix: `"uuid":"${UUID_PREFIX}`,
  body: (events) => ({
    api_key: 'phc_bench',
    batch: events.map(({ person, name, at, session, properties, context }) => ({
      distinct_id: person,
      uuid: `${UUID_PREFIX}${UUID_NUMBER}`,
      event: name,
      timestamp: at,
      properties: { $session_id: session, ...properties, ...context },
    })),
    sent_at: new Date().toISOString(),
  }),
};

const PATHS = ['pricing', 'docs/start', 'docs/api', 'checkout', 'settings/team', 'reports/weekly'];
const NAMES = ['page viewed', 'button clicked', 'checkout completed', 'report shared', 'search made'];

/** Returns bodies of `count` events each. An event has about 490 bytes, and events have little in common. */
export function eventBodies(count: number, bodies: number, protocol: Protocol = SWITCHBOARD): string[] {
  return Array.from({ length: bodies }, () => {
    const events = Array.from({ length: count }, () => event(`user-${Math.floor(Math.random() * 50_000)}`));
    return JSON.stringify(protocol.body(events));
  });
}

/** Returns a body of `count` events of a person. */
export function bodyOf(person: string, count: number): string {
  return JSON.stringify(SWITCHBOARD.body(Array.from({ length: count }, () => event(person))));
}

function event(person: string): BenchEvent {
  return {
    person,
    name: pick(NAMES),
    at: new Date().toISOString(),
    session: randomUUID(),
    properties: {
      url: `https://app.example.com/${pick(PATHS)}?ref=${randomBytes(6).toString('hex')}`,
      title: pick(PATHS),
      duration: Math.floor(Math.random() * 100_000),
      amount: Math.round(Math.random() * 1e6) / 100,
      experiment: randomBytes(8).toString('base64url'),
      returning: Math.random() < 0.5,
    },
    context: { locale: 'de-DE', os: 'macOS 15.5', sdk: 'switchboard-js', sdk_version: '1.4.2' },
  };
}

function pick<T>(values: T[]): T {
  const value = values[Math.floor(Math.random() * values.length)];
  if (value === undefined) throw new Error('nothing to pick from');
  return value;
}
