import { randomBytes, randomUUID } from 'node:crypto';

/** Where the load writes a number that makes each event_id its own. */
export const NUMBER = '#'.repeat(14);
/** What stands before the number in an event_id. */
export const EVENT_ID_PREFIX = 'bench-event-id-';

const PATHS = ['pricing', 'docs/start', 'docs/api', 'checkout', 'settings/team', 'reports/weekly'];
const NAMES = ['page viewed', 'button clicked', 'checkout completed', 'report shared', 'search made'];

/** Some bodies of `count` events each, of about 490 bytes an event with little in common. */
export function eventBodies(count: number, bodies: number): string[] {
  return Array.from({ length: bodies }, () => {
    const events = Array.from({ length: count }, () => event());
    return JSON.stringify({ events, sent_at: new Date().toISOString() });
  });
}

function event() {
  return {
    distinct_id: `user-${Math.floor(Math.random() * 50_000)}`,
    event_id: `${EVENT_ID_PREFIX}${NUMBER}`,
    event_name: pick(NAMES),
    schema_version: 1,
    timestamp: new Date().toISOString(),
    session_id: randomUUID(),
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
