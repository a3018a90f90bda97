import { request } from './request.ts';

interface SeedEventsOptions {
  eventsUrl: string;
  projectKey: string;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const DAYS = 14;
const VISITS_PER_DAY = 30;
const PEOPLE = 80;
const BATCH_SIZE = 500;

const PRODUCTS = [
  { product: 'Trail tent', price: 289 },
  { product: 'Down sleeping bag', price: 199 },
  { product: 'Gas stove', price: 59 },
  { product: 'Head torch', price: 35 },
  { product: 'Enamel mug', price: 12 },
];
/** The steps of a visit, each with its page and the percentage of visitors who reach it from the previous one. */
const STEPS = [
  { name: 'product seen', path: '/products', share: 100 },
  { name: 'product added to basket', path: '/basket', share: 40 },
  { name: 'checkout begun', path: '/checkout', share: 55 },
  { name: 'order placed', path: '/thank-you', share: 70 },
];
const PAGE_BEFORE_MS = 4_000;
/** The sources of visits. Some are unknown. */
const SOURCES = [
  { referrer: 'google.com' },
  { referrer: 'google.com' },
  { referrer: 'hiking.example' },
  { referrer: 'instagram.com', utm_source: 'instagram', utm_campaign: 'autumn' },
  { referrer: null, utm_source: 'newsletter', utm_campaign: 'winter tents' },
  { referrer: null },
];
const ZONES = [
  ...['Europe/Berlin', 'Europe/Berlin', 'Europe/Berlin', 'Europe/Berlin', 'Europe/Lisbon', 'Europe/Lisbon'],
  ...['Europe/Paris', 'Europe/Paris', 'Europe/Vienna', 'Europe/Vienna', 'Europe/Madrid', 'Europe/Malta'],
  ...['America/New_York', 'America/New_York', 'America/New_York', 'America/Toronto', 'America/Sao_Paulo'],
  ...['Asia/Tokyo', 'Asia/Singapore', 'Asia/Kolkata', 'Australia/Sydney', 'Africa/Nairobi'],
];
const DEVICES = [
  { os: 'iOS', browser: 'Safari', device: 'mobile', screen: '390x844' },
  { os: 'Android', browser: 'Chrome', device: 'mobile', screen: '412x915' },
  { os: 'Windows', browser: 'Edge', device: 'desktop', screen: '1920x1080' },
];

/** Sends two weeks of visits to the shop, like an SDK that was offline until now. */
export async function seedEvents({ eventsUrl, projectKey }: SeedEventsOptions): Promise<void> {
  const now = Date.now();
  for (const events of batches([...visits(now)])) {
    const body = JSON.stringify({ sent_at: new Date(now).toISOString(), events });
    await request('POST', `${eventsUrl}/v1/events`, projectKey, { body });
  }
}

/** Returns the time of the first page that a visit of the demo can have. */
export const startOfVisit = (visit: number, now: number): number =>
  now - DAYS * DAY_MS + (visit * DAY_MS) / VISITS_PER_DAY - 3 * PAGE_BEFORE_MS;

function* visits(now: number) {
  const draw = createRandom();
  // Apart, so that the visits stay the same whatever is known of them.
  const drawPage = createRandom();
  for (let visit = 0; visit < DAYS * VISITS_PER_DAY; visit++) {
    const { product, price } = PRODUCTS[draw(PRODUCTS.length)] ?? { product: '', price: 0 };
    const person = `visitor-${draw(PEOPLE)}`;
    const quantity = 1 + draw(2);
    const { os, ...device } = DEVICES[draw(DEVICES.length)] ?? { os: null };
    const source = SOURCES[drawPage(SOURCES.length)];
    const page = { ...device, time_zone: ZONES[drawPage(ZONES.length)] };
    const isOnHome = drawPage(2) === 0;
    const common = { distinct_id: person, session_id: `visit-${visit}`, schema_version: 1 };
    const context = { os, locale: 'en', sdk: 'demo' };
    const viewed = (path: string, time: number, more: object = { referrer: null }) => ({
      ...common,
      event_id: `demo-${visit}-page-${path.slice(1)}`,
      event_name: 'page viewed',
      timestamp: new Date(time).toISOString(),
      properties: { path, ...page, ...more },
      context,
    });
    let at = startOfVisit(visit, now) + 3 * PAGE_BEFORE_MS;
    for (const [index, { name, path, share }] of STEPS.entries()) {
      if (draw(100) >= share) break;
      if (index === 0 && isOnHome) yield viewed('/', at - 3 * PAGE_BEFORE_MS, source);
      yield viewed(path, at - PAGE_BEFORE_MS, index === 0 && !isOnHome ? source : undefined);
      yield {
        ...common,
        event_id: `demo-${visit}-${index}`,
        event_name: name,
        timestamp: new Date(at).toISOString(),
        properties: {
          product,
          price,
          ...(index > 0 ? { quantity } : {}),
          ...(name === 'order placed' ? { total: price * quantity } : {}),
        },
        context,
      };
      at += 20_000 + draw(40_000);
    }
  }
}

/** Returns the same numbers on every run: a linear congruential generator (Numerical Recipes). */
function createRandom(): (bound: number) => number {
  let state = 20_261;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

function* batches<T>(items: T[]): Generator<T[]> {
  for (let start = 0; start < items.length; start += BATCH_SIZE) yield items.slice(start, start + BATCH_SIZE);
}
