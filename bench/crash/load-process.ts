import { setTimeout as sleep } from 'node:timers/promises';
import type { Request } from './books.ts';
import type { LoadPlan } from './load.ts';
import { createRandom, type Random } from './random.ts';
import {
  callTime,
  eventOf,
  groupId,
  groupTraits,
  identifyTraits,
  keyOf,
  type Numbered,
  PROJECTS,
  person,
  replayChunk,
  sentAt,
} from './traffic.ts';

/** Clients that behave as SDKs do: what got no answer or a 503 is sent again as it was, to the next instance. */
process.once('message', (plan: LoadPlan) => {
  run(plan).then((requests) => process.send?.(requests));
});

/** Longer than the service may take. */
const ANSWER_WITHIN_MS = 8_000;
const MOST_TRIES = 15;
/** A round in which nothing was accepted proves nothing: where services start slowly, the load goes on for a while. */
const LEAST_ACCEPTED = 100;
const LONGER_MS = 60_000;

type Wrong = 'invalid' | 'unknown key' | 'too large';

async function run(plan: LoadPlan): Promise<Request[]> {
  const requests: Request[] = [];
  const next = new Map<string, number>();
  const endsAt = performance.now() + plan.seconds * 1000;
  let turn = 0;
  let accepted = 0;

  function take(kind: Request['kind'], project: string, count: number): number {
    const name = `${kind} ${project}`;
    const first = next.get(name) ?? 0;
    next.set(name, first + count);
    return first;
  }

  async function client(random: Random): Promise<void> {
    while (
      performance.now() < endsAt ||
      (accepted < LEAST_ACCEPTED && performance.now() < endsAt + LONGER_MS)
    ) {
      const request = makeRequest(random);
      requests.push(request.books);
      await send(request, random);
      if (request.books.statuses.includes(202)) accepted++;
      await sleep(random.between(0, 20));
    }
  }

  function makeRequest(random: Random) {
    const project = random.chance(0.8) ? PROJECTS[0] : PROJECTS[1];
    const kind = kindOf(random.next());
    const wrong = kind === 'replay' ? undefined : wrongOf(random.next());
    const count = kind === 'events' && random.chance(0.8) ? random.between(2, 40) : 1;
    const books: Request = {
      kind,
      project,
      round: plan.round,
      first: take(kind, project, count),
      count,
      isLate: kind === 'events' && random.chance(0.1),
      expected: wrong === undefined ? 202 : { invalid: 400, 'unknown key': 401, 'too large': 413 }[wrong],
      statuses: [],
      repeats: 0,
    };
    const key = wrong === 'unknown key' ? plan.unknownKey : keyOf(project);
    return { books, key, path: paths[kind], body: JSON.stringify(bodyOf(books, plan.base, wrong)) };
  }

  async function send(
    { books, key, path, body }: ReturnType<typeof makeRequest>,
    random: Random,
  ): Promise<void> {
    const tries = random.chance(0.2) ? 1 : MOST_TRIES;
    for (let attempt = 1; attempt <= tries; attempt++) {
      const isHangUp = random.chance(0.02);
      const withinMs = isHangUp ? random.between(1, 15) : ANSWER_WITHIN_MS;
      const status = await post(books, key, path, body, withinMs);
      if (status === 202 && books.repeats === 0 && random.chance(0.05)) {
        books.repeats++;
        continue;
      }
      if (status === 202 || (status >= 400 && status < 500)) return;
      await sleep(random.between(50, 100) * Math.min(10, 2 ** attempt));
    }
  }

  async function post(books: Request, key: string, path: string, body: string, withinMs: number) {
    const port = plan.ports[turn++ % plan.ports.length];
    let status = 0;
    try {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        body,
        signal: AbortSignal.timeout(withinMs),
      });
      const text = await answer.text();
      status = answer.status;
      if (status !== 202 && !isTold(answer, text)) books.untold = `${status} ${text}`;
    } catch {
      // No answer, whatever the reason: it may be stored.
    }
    books.statuses.push(status);
    return status;
  }

  await Promise.all(
    Array.from({ length: plan.clients }, (_, index) => client(createRandom(plan.seed + index * 65_537))),
  );
  return requests;

  function kindOf(chance: number): Request['kind'] {
    if (chance < 0.7) return 'events';
    if (chance < 0.85) return 'identify';
    return chance < 0.95 || !plan.hasReplays ? 'group' : 'replay';
  }
}

const paths = { events: '/v1/events', identify: '/v1/identify', group: '/v1/group', replay: '/v1/replay' };

function wrongOf(chance: number): Wrong | undefined {
  if (chance < 0.03) return 'invalid';
  if (chance < 0.045) return 'unknown key';
  return chance < 0.05 ? 'too large' : undefined;
}

/** A refusal says why: in the body, or beside an empty one; a 503 also says when to come again. */
function isTold(answer: Response, text: string): boolean {
  if (answer.status === 503 && answer.headers.get('retry-after') === null) return false;
  if (text === '') return answer.headers.get('x-error') !== null;
  return /"message":"[^"]/.test(text);
}

function bodyOf(books: Request, base: number, wrong: Wrong | undefined): object {
  const { project, round, first, count, isLate } = books;
  const numbered: Numbered = { project, round, number: first };
  const text = wrong === 'too large' ? { filler: 'z'.repeat(950_000) } : {};
  const timestamp = wrong === 'invalid' ? 'yesterday' : new Date(callTime(numbered, base)).toISOString();
  const call = { distinct_id: person(numbered), timestamp };
  if (books.kind === 'identify') return { ...call, properties: { ...identifyTraits(numbered), ...text } };
  if (books.kind === 'group') {
    return { ...call, properties: { group_id: groupId(numbered), ...groupTraits(numbered), ...text } };
  }
  if (books.kind === 'replay') return replayChunk(numbered, base);
  const events = Array.from({ length: count }, (_, index) =>
    eventOf({ project, round, number: first + index }, base, isLate),
  );
  // The last one of the batch is the bad one: nothing of the others may be stored either.
  const last = events.pop();
  const spoilt =
    wrong === 'invalid' ? { ...last, timestamp } : { ...last, properties: { ...last?.properties, ...text } };
  return { events: [...events, spoilt], sent_at: sentAt(isLate) };
}
