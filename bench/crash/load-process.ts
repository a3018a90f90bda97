import { setTimeout as sleep } from 'node:timers/promises';
import type { Request } from './ledger.ts';
import type { LoadPlan } from './load.ts';
import { createRandom, type Random } from './random.ts';
import {
  anonymousId,
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

/** Runs clients that behave like SDKs: they resend a request that got a 503 or no response to the next instance. */
process.once('message', (plan: LoadPlan) => {
  const stop = new AbortController();
  process.once('message', () => stop.abort());
  run(plan, stop.signal).then((requests) => process.send?.(requests));
});

/** Longer than the service's own deadline. */
const RESPONSE_WITHIN_MS = 8_000;
const MAX_TRIES = 15;
/** A round without accepted requests proves nothing. If services start slowly, the load continues for a while. */
const MIN_ACCEPTED = 100;
const EXTENSION_MS = 60_000;

type Wrong = 'invalid' | 'unknown key' | 'too large';

async function run(plan: LoadPlan, stop: AbortSignal): Promise<Request[]> {
  const requests: Request[] = [];
  const next = new Map<string, number>();
  let stoppedAt = Number.POSITIVE_INFINITY;
  stop.addEventListener('abort', () => {
    stoppedAt = performance.now();
  });
  let turn = 0;
  let accepted = 0;

  function take(kind: Request['kind'], project: string, count: number): number {
    const name = `${kind} ${project}`;
    const first = next.get(name) ?? 0;
    next.set(name, first + count);
    return first;
  }

  async function client(random: Random): Promise<void> {
    while (!stop.aborted || (accepted < MIN_ACCEPTED && performance.now() < stoppedAt + EXTENSION_MS)) {
      const request = makeRequest(random);
      requests.push(request.entry);
      await send(request, random);
      if (request.entry.statuses.includes(202)) accepted++;
      await sleep(random.between(0, 20));
    }
  }

  function makeRequest(random: Random) {
    const project = random.chance(0.8) ? PROJECTS[0] : PROJECTS[1];
    const kind = kindOf(random.next());
    const wrong = kind === 'replay' ? undefined : wrongOf(random.next());
    const count = kind === 'events' && random.chance(0.8) ? random.between(2, 40) : 1;
    const entry: Request = {
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
    return { entry, key, path: PATHS[kind], body: JSON.stringify(bodyOf(entry, plan.base, wrong)) };
  }

  async function send(
    { entry, key, path, body }: ReturnType<typeof makeRequest>,
    random: Random,
  ): Promise<void> {
    const tries = random.chance(0.2) ? 1 : MAX_TRIES;
    for (let attempt = 1; attempt <= tries; attempt++) {
      const isHangUp = random.chance(0.02);
      const withinMs = isHangUp ? random.between(1, 15) : RESPONSE_WITHIN_MS;
      const status = await post(entry, key, path, body, withinMs);
      if (status === 202 && entry.repeats === 0 && random.chance(0.05)) {
        entry.repeats++;
        continue;
      }
      if (status === 202 || (status >= 400 && status < 500)) return;
      await sleep(random.between(50, 100) * Math.min(10, 2 ** attempt));
    }
  }

  async function post(entry: Request, key: string, path: string, body: string, withinMs: number) {
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
      if (status !== 202 && !isExplained(answer, text)) entry.unexplained = `${status} ${text}`;
    } catch {
      // Without a response, the request may or may not be stored.
    }
    entry.statuses.push(status);
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

const PATHS = { events: '/v1/events', identify: '/v1/identify', group: '/v1/group', replay: '/v1/replay' };

function wrongOf(chance: number): Wrong | undefined {
  if (chance < 0.03) return 'invalid';
  if (chance < 0.045) return 'unknown key';
  return chance < 0.05 ? 'too large' : undefined;
}

/** Returns whether an error has a message, in the body or in X-Error. A 503 must also have Retry-After. */
function isExplained(answer: Response, text: string): boolean {
  if (answer.status === 503 && answer.headers.get('retry-after') === null) return false;
  if (text === '') return answer.headers.get('x-error') !== null;
  return /"message":"[^"]/.test(text);
}

function bodyOf(entry: Request, base: number, wrong: Wrong | undefined): object {
  const { project, round, first, count, isLate } = entry;
  const numbered: Numbered = { project, round, number: first };
  const text = wrong === 'too large' ? { filler: 'z'.repeat(950_000) } : {};
  const timestamp = wrong === 'invalid' ? 'yesterday' : new Date(callTime(numbered, base)).toISOString();
  const call = { distinct_id: person(numbered), timestamp };
  if (entry.kind === 'identify') {
    const joined = { anonymous_id: anonymousId(numbered) };
    return { ...call, properties: { ...identifyTraits(numbered), ...joined, ...text } };
  }
  if (entry.kind === 'group') {
    return { ...call, properties: { group_id: groupId(numbered), ...groupTraits(numbered), ...text } };
  }
  if (entry.kind === 'replay') return replayChunk(numbered, base);
  const events = Array.from({ length: count }, (_, index) =>
    eventOf({ project, round, number: first + index }, base, isLate),
  );
  // The last event of the batch is invalid, so no event of the batch may be stored.
  const last = events.pop();
  const invalid =
    wrong === 'invalid' ? { ...last, timestamp } : { ...last, properties: { ...last?.properties, ...text } };
  return { events: [...events, invalid], sent_at: sentAt(isLate) };
}
