import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Call } from '../harness/call.ts';

/** The requests that got a 202, by person. */
export interface Accepted {
  /** The number of events. They are numbered from 0. */
  events: Map<string, number>;
  /** The number of the last identify call. */
  identified: Map<string, number>;
}

export interface Load {
  accepted: Accepted;
  /** Responses other than 202 and 503 with Retry-After, and requests without a response. */
  failures: string[];
  /** Returns the number of 503 responses. */
  refused(): number;
  /** Resolves once every client is further than the most advanced client is now. */
  progress(): Promise<void>;
  /** Stops the load and waits for requests in flight. */
  stop(): Promise<void>;
}

const CLIENTS = 8;
/** The number of people per client. A request has an event of each, so it concerns several partitions. */
const PEOPLE = 3;
const IDENTIFY_EVERY = 4;
const PAUSE_MS = 120;
const RETRY_MS = 150;
const PROGRESS = 5;
const PROGRESS_WITHIN_MS = 50_000;

export const eventId = (person: string, number: number) => `${person}-e${number}`;

/** Starts clients that each send one request after another, and retry it until it is accepted. */
export function startLoad(call: Call): Load {
  const accepted: Accepted = { events: new Map(), identified: new Map() };
  const sent = Array.from({ length: CLIENTS }, () => 0);
  const failures: string[] = [];
  let refused = 0;
  let isGoing = true;
  const running = Promise.all(sent.map((_, client) => run(client)));

  async function run(client: number): Promise<void> {
    const people = Array.from({ length: PEOPLE }, (_, n) => `person-${client}-${n}`);
    for (let number = 0; isGoing && failures.length === 0; number++) {
      const timestamp = new Date().toISOString();
      const events = people.map((person) => ({
        event_id: eventId(person, number),
        distinct_id: person,
        event_name: 'order placed',
        schema_version: 1,
        timestamp,
        properties: { number },
      }));
      await send(() => call('ingestEvents', { body: { sent_at: timestamp, events } }));
      for (const person of people) accepted.events.set(person, number + 1);
      const person = people[(number / IDENTIFY_EVERY) % PEOPLE];
      if (person !== undefined) {
        await send(() =>
          call('identify', { body: { distinct_id: person, timestamp, properties: { number } } }),
        );
        accepted.identified.set(person, number);
      }
      sent[client] = number + 1;
      await sleep(PAUSE_MS);
    }
  }

  async function send(ask: () => Promise<Answer>): Promise<void> {
    for (;;) {
      const failure = await ask().then(failureOf, String);
      if (failure === undefined) return;
      if (failure !== REFUSED) return void failures.push(failure);
      refused++;
      await sleep(RETRY_MS);
    }
  }

  return {
    accepted,
    failures,
    refused: () => refused,
    async progress() {
      const wanted = Math.max(...sent) + PROGRESS;
      const deadline = performance.now() + PROGRESS_WITHIN_MS;
      while (Math.min(...sent) < wanted) {
        if (failures.length > 0) throw new Error(failures.join('\n'));
        if (performance.now() > deadline)
          throw new Error(`${refused} requests were refused, and the latest ones still are`);
        await sleep(20);
      }
    },
    async stop() {
      isGoing = false;
      await running;
    },
  };
}

const REFUSED = 'refused';

function failureOf({ status, headers, body }: Answer): string | undefined {
  if (status === 202) return undefined;
  return status === 503 && headers.has('retry-after') ? REFUSED : `${status} ${JSON.stringify(body)}`;
}
