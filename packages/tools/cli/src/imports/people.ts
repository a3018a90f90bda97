import { hash } from 'node:crypto';
import type { Client } from '@switchboard/management';
import type { WireItem } from '@switchboard/other-products';
import { backoffDelay, pause } from '@switchboard/resilience';
import { UsageError } from '../terminal/terminal.ts';

interface PeopleOptions {
  /** The address of ingestion. */
  url: string;
  /** Returns a project key. */
  key(): Promise<string>;
  retryForMs: number;
  dryRun: boolean;
  onRefused(reason: string, place: string): void;
}

/** Sends traits, joins and groups of people by the public API, those of one person in order. */
export interface People {
  /** Adds a call. Waits while too many are pending. */
  add(item: WireItem, place: string): Promise<void> | undefined;
  /** Resolves once all calls are accepted. */
  finish(): Promise<void>;
  /** Returns the number of calls that were accepted. */
  count(): number;
}

const LANES = 16;
const MAX_PENDING = 1_000;
/** The number of last calls that are remembered, so that the same traits are not sent with every event. */
const MAX_REMEMBERED = 200_000;
/** Ingestion joins up to 6,000 ids of a project in a minute, those of live visitors included. */
const JOIN_EVERY_MS = 12;
const TIMEOUT_MS = 30_000;

export function createPeople({ url, key, retryForMs, dryRun, onRefused }: PeopleOptions): People {
  const base = url.replace(/\/+$/, '');
  const lanes = Array.from({ length: LANES }, () => Promise.resolve());
  const last = new Map<string, string>();
  const failed = new AbortController();
  let [pending, accepted, nextJoin] = [0, 0, 0];
  let found: Promise<string> | undefined;

  function isRepeated({ kind, call }: WireItem): boolean {
    const { timestamp: _, event_id: __, ...content } = call;
    const fields = content['properties'] as Record<string, unknown>;
    const of = [kind, call['distinct_id'], fields['anonymous_id'] ?? '', fields['group_type'] ?? ''].join(
      '\0',
    );
    const value = hash('sha1', JSON.stringify(content));
    if (last.get(of) === value) return true;
    if (last.size >= MAX_REMEMBERED) last.clear();
    last.set(of, value);
    return false;
  }

  async function send({ kind, call }: WireItem, place: string): Promise<void> {
    if (failed.signal.aborted) return;
    const fields = call['properties'] as Record<string, unknown>;
    if (fields['anonymous_id'] !== undefined) {
      const now = performance.now();
      nextJoin = Math.max(now, nextJoin + JOIN_EVERY_MS);
      await pause(nextJoin - now, failed.signal);
    }
    found ??= key();
    const authorization = `Bearer ${await found}`;
    const until = performance.now() + retryForMs;
    for (let attempt = 0; ; attempt++) {
      const answer = await post(kind, JSON.stringify(call), authorization);
      if (answer.status === 202) {
        accepted += 1;
        return;
      }
      if (answer.status === 400 || answer.status === 413) return onRefused(`${kind}: ${answer.text}`, place);
      if (answer.status !== 429 && answer.status !== 503 && answer.status !== 0)
        throw new UsageError(
          `POST ${base}/v1/${kind} answers ${answer.status}: ${answer.text}; SWITCHBOARD_INGESTION_URL is the address for events`,
        );
      // A quota refills, however long that takes.
      if (answer.status !== 429 && performance.now() > until)
        throw new UsageError(`POST ${base}/v1/${kind}: ${answer.text}`);
      await pause(answer.retryAfterMs + backoffDelay(attempt, { maxMs: 1_000 }), failed.signal);
    }
  }

  async function post(kind: string, body: string, authorization: string) {
    try {
      const response = await fetch(`${base}/v1/${kind}`, {
        method: 'POST',
        headers: { Authorization: authorization, 'Content-Type': 'application/json' },
        body,
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const text = await response.text();
      const retryAfterMs = Number(response.headers.get('Retry-After') ?? 0) * 1_000 || 0;
      return { status: response.status, text: messageIn(text), retryAfterMs };
    } catch (error) {
      return { status: 0, text: `cannot be reached (${error})`, retryAfterMs: 0 };
    }
  }

  return {
    add(item, place) {
      failed.signal.throwIfAborted();
      if (isRepeated(item)) return undefined;
      if (dryRun) {
        accepted += 1;
        return undefined;
      }
      const lane = Number.parseInt(hash('sha1', String(item.call['distinct_id'])).slice(0, 6), 16) % LANES;
      pending += 1;
      const done = (lanes[lane] ?? Promise.resolve())
        .then(() => send(item, place))
        .catch((error: unknown) => failed.abort(error))
        .finally(() => {
          pending -= 1;
        });
      lanes[lane] = done;
      return pending < MAX_PENDING ? undefined : done;
    },
    async finish() {
      await Promise.all(lanes);
      failed.signal.throwIfAborted();
    },
    count: () => accepted,
  };
}

function messageIn(text: string): string {
  try {
    const { message } = JSON.parse(text);
    return typeof message === 'string' ? message : text.slice(0, 200);
  } catch {
    return text.slice(0, 200);
  }
}

/** Returns a function that finds the first key of a project. Throws UsageError. */
export function firstKeyOf(client: Client, projectId: string): () => Promise<string> {
  return async () => {
    const { keys } = await client.call('listProjectKeys', { params: { projectId } });
    const [first] = keys;
    if (first === undefined) throw new UsageError('the project has no key; give --key');
    return first;
  };
}
