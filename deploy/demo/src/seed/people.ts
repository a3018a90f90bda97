import pMap from 'p-map';
import { request } from './request.ts';

interface SeedPeopleOptions {
  eventsUrl: string;
  projectKey: string;
}

/** The other visitors stay anonymous. */
const FIRST_IDENTIFIED = 20;
const LAST_IDENTIFIED = 79;
const CALLS_AT_ONCE = 10;
const DAYS_AGO = 15;
const DAY_MS = 24 * 60 * 60 * 1000;

const GIVEN_NAMES = [
  'Amara',
  'Bruno',
  'Chiara',
  'Dmitri',
  'Elif',
  'Farid',
  'Greta',
  'Hiro',
  'Ingrid',
  'João',
];
const FAMILY_NAMES = ['Okafor', 'Lindqvist', 'Moreau', 'Tanaka', 'Silva', 'Novak'];
const COUNTRIES = ['Portugal', 'Germany', 'France', 'Japan'];
const PLANS = ['free', 'free', 'pro', 'team'];
const CLUBS = ['Alpine Club Porto', 'Harbour Guides', 'North Ridge School'];

/** Sends who the visitors of the shop are: names, addresses, countries and plans, and the clubs of those on a team plan. */
export async function seedPeople({ eventsUrl, projectKey }: SeedPeopleOptions): Promise<void> {
  const call = (path: string, body: unknown) =>
    request('POST', `${eventsUrl}/v1/${path}`, projectKey, { body: JSON.stringify(body) });
  // Before the visits, so that the last event of a person is when they were last seen.
  const timestamp = new Date(Date.now() - DAYS_AGO * DAY_MS).toISOString();
  const numbers = Array.from(
    { length: LAST_IDENTIFIED - FIRST_IDENTIFIED + 1 },
    (_, i) => FIRST_IDENTIFIED + i,
  );
  await pMap(
    numbers,
    async (number) => {
      const distinct_id = `visitor-${number}`;
      const at = <T>(items: readonly T[]) => items[number % items.length];
      const given = at(GIVEN_NAMES);
      const family = FAMILY_NAMES[Math.floor(number / GIVEN_NAMES.length) % FAMILY_NAMES.length];
      const plan = at(PLANS);
      const properties = {
        name: `${given} ${family}`,
        email: `${given}.${family}@example.com`.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase(),
        country: at(COUNTRIES),
        plan,
      };
      await call('identify', { distinct_id, properties, timestamp });
      if (plan !== 'team') return;
      const name = at(CLUBS) ?? '';
      const group_id = name.toLowerCase().replaceAll(' ', '-');
      await call('group', { distinct_id, properties: { group_id, group_type: 'club', name }, timestamp });
    },
    { concurrency: CALLS_AT_ONCE },
  );
}
