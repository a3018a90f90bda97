import { setTimeout as sleep } from 'node:timers/promises';

interface EventsDemoOptions {
  eventsUrl: string;
  projectKey: string;
}

const A_DAY_MS = 24 * 60 * 60 * 1000;
const DAYS = 14;
const VISITS_A_DAY = 30;
const PEOPLE = 80;
/** How long the service may take to learn of a new key. */
const PATIENCE_MS = 15_000;

const products = [
  { product: 'Trail tent', price: 289 },
  { product: 'Down sleeping bag', price: 199 },
  { product: 'Gas stove', price: 59 },
  { product: 'Head torch', price: 35 },
  { product: 'Enamel mug', price: 12 },
];
/** Each step of a visit, and how many in a hundred go on to it. */
const steps = [
  { name: 'product seen', share: 100 },
  { name: 'product added to basket', share: 40 },
  { name: 'checkout begun', share: 55 },
  { name: 'order placed', share: 70 },
];

/** Two weeks of visits to the shop, sent as an SDK would that was offline until now. */
export async function makeEventsDemo({ eventsUrl, projectKey }: EventsDemoOptions): Promise<void> {
  const now = Date.now();
  for (const events of batches([...visits(now)])) {
    const body = JSON.stringify({ sent_at: new Date(now).toISOString(), events });
    const until = now + PATIENCE_MS;
    for (;;) {
      const response = await fetch(`${eventsUrl}/v1/events`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${projectKey}` },
        body,
      });
      if (response.ok) break;
      const text = await response.text();
      const isEarly = [401, 503].includes(response.status) && Date.now() < until;
      if (!isEarly) throw new Error(`POST /v1/events: ${response.status} ${text}`);
      await sleep(50);
    }
  }
}

function* visits(now: number) {
  const draw = numbers();
  for (let visit = 0; visit < DAYS * VISITS_A_DAY; visit++) {
    const { product, price } = products[draw(products.length)] ?? { product: '', price: 0 };
    const person = `visitor-${draw(PEOPLE)}`;
    const quantity = 1 + draw(2);
    const os = ['iOS', 'Android', 'Windows'][draw(3)];
    let at = now - DAYS * A_DAY_MS + (visit * A_DAY_MS) / VISITS_A_DAY;
    for (const [index, { name, share }] of steps.entries()) {
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

/** The same numbers each time, each below its bound: a linear congruential generator (Numerical Recipes). */
function numbers(): (bound: number) => number {
  let state = 20_261;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

function* batches<T>(items: T[]): Generator<T[]> {
  for (let start = 0; start < items.length; start += 500) yield items.slice(start, start + 500);
}
