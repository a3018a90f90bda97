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
/** The steps of a visit, each with the percentage of visitors who reach it from the previous one. */
const STEPS = [
  { name: 'product seen', share: 100 },
  { name: 'product added to basket', share: 40 },
  { name: 'checkout begun', share: 55 },
  { name: 'order placed', share: 70 },
];

/** Sends two weeks of visits to the shop, like an SDK that was offline until now. */
export async function seedEvents({ eventsUrl, projectKey }: SeedEventsOptions): Promise<void> {
  const now = Date.now();
  for (const events of batches([...visits(now)])) {
    const body = JSON.stringify({ sent_at: new Date(now).toISOString(), events });
    await request('POST', `${eventsUrl}/v1/events`, projectKey, { body });
  }
}

function* visits(now: number) {
  const draw = createRandom();
  for (let visit = 0; visit < DAYS * VISITS_PER_DAY; visit++) {
    const { product, price } = PRODUCTS[draw(PRODUCTS.length)] ?? { product: '', price: 0 };
    const person = `visitor-${draw(PEOPLE)}`;
    const quantity = 1 + draw(2);
    const os = ['iOS', 'Android', 'Windows'][draw(3)];
    let at = now - DAYS * DAY_MS + (visit * DAY_MS) / VISITS_PER_DAY;
    for (const [index, { name, share }] of STEPS.entries()) {
      if (draw(100) >= share) break;
      yield {
        event_id: `demo-${visit}-${index}`,
        event_name: name,
        distinct_id: person,
        session_id: `visit-${visit}`,
        schema_version: 1,
        timestamp: new Date(at).toISOString(),
        properties: {
          product,
          price,
          ...(index > 0 ? { quantity } : {}),
          ...(name === 'order placed' ? { total: price * quantity } : {}),
        },
        context: { os, locale: 'en', sdk: 'demo' },
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
