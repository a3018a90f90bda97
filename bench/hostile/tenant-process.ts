import { Agent, request } from 'node:http';
import { getPriority, setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { TENANT } from './deployment.ts';
import { SIGN_IN_ORIGIN } from './people.ts';
import type { Kind, Observation, Observed, TenantPlan } from './tenant.ts';

const WITHIN_MS = 15_000;
/** How far the tenant's priority is above that of the services. */
const AHEAD = 10;

/** Connections stay open, as those of a gateway do. */
const agent = new Agent({ keepAlive: true });

/** Raises the priority. A real tenant has its own machine, so its work must not wait on a shared one. */
function goAhead(): boolean {
  try {
    setPriority(getPriority() - AHEAD);
    return true;
  } catch {
    return false;
  }
}

/** The person who signs in next. Every observation continues, so that limits allow each person. */
let next = 0;

const isAhead = goAhead();
process.on('message', async ({ urls, people, seconds }: TenantPlan) => {
  const observed = await behave({ urls, people }, AbortSignal.timeout(seconds * 1000));
  const observation: Observation = { observed, isAhead };
  process.send?.(observation);
});

/**
 * Generates ordinary traffic without retries until the signal aborts. Per second: 20 batches of 10 events, 20
 * evaluations, 4 identify calls, 5 conversations with a turn and a read, and a sign-in with a password.
 */
async function behave(
  { urls, people }: Pick<TenantPlan, 'urls' | 'people'>,
  until: AbortSignal,
): Promise<Observed[]> {
  const observed: Observed[] = [];
  let number = 0;

  async function send(kind: Kind, url: string, body?: unknown, headers = {}): Promise<unknown> {
    const prepared = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const from = `198.51.100.${number % 250}`;
    const startedAt = performance.now();
    const { status, text } = await exchange(url, prepared, { 'X-Forwarded-For': from, ...headers });
    observed.push({ kind, status, ms: performance.now() - startedAt });
    return text === '' ? undefined : JSON.parse(text);
  }

  async function every(ms: number, one: () => Promise<unknown>): Promise<void> {
    const running = new Set<Promise<unknown>>();
    while (!until.aborted) {
      const sent = one();
      running.add(sent);
      sent.finally(() => running.delete(sent));
      await sleep(ms);
    }
    await Promise.all(running);
  }

  const person = () => `person-${++number % 500}`;

  function events(): Promise<unknown> {
    const timestamp = new Date().toISOString();
    const one = () => ({
      distinct_id: person(),
      event_id: `tenant-${process.pid}-${number}`,
      event_name: 'page viewed',
      schema_version: 1,
      timestamp,
      properties: { path: '/pricing', number },
    });
    return send('events', `${urls.ingestion}/v1/events`, {
      events: Array.from({ length: 10 }, one),
      sent_at: timestamp,
    });
  }

  async function converse(): Promise<void> {
    const opened = await send('open', `${urls.messenger}/v1/conversations`, { distinctId: person() });
    if (!isOpened(opened)) return;
    const url = `${urls.messenger}/v1/conversations/${opened.conversationId}`;
    const token = { 'X-Service-Conversation-Token': opened.token };
    await send('turn', `${url}/turns`, { body: 'Where is my order?' }, token);
    await send('thread', url, undefined, token);
  }

  /** Signs the next person in. The answer is a redirect with the cookie of the session. */
  async function signIn(): Promise<void> {
    const at = next++ % people.length;
    const { email, password, device } = people[at] ?? { email: '', password: '', device: '' };
    const startedAt = performance.now();
    const { status } = await exchange(
      `${urls.identity}/identity/sign-in/account`,
      Buffer.from(String(new URLSearchParams({ email, password }))),
      {
        'X-Forwarded-For': `198.18.${at}.1`,
        'Content-Type': 'application/x-www-form-urlencoded',
        Origin: SIGN_IN_ORIGIN,
        Cookie: device,
      },
    );
    observed.push({
      kind: 'sign in',
      status: status === 303 ? 200 : status,
      ms: performance.now() - startedAt,
    });
  }

  await Promise.all([
    every(1_000, signIn),
    every(50, events),
    every(50, () => send('flags', `${urls.flags}/v1/flags?distinct_id=${person()}`)),
    every(250, () =>
      send('identify', `${urls.ingestion}/v1/identify`, {
        distinct_id: person(),
        properties: { plan: 'pro' },
      }),
    ),
    every(200, converse),
  ]);
  return observed;
}

/** Sends a request and reads the whole response. The status is 0 if there is no response. */
function exchange(
  url: string,
  body: Buffer | undefined,
  headers: Record<string, string>,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve) => {
    const none = () => resolve({ status: 0, text: '' });
    const sent = request(
      url,
      {
        agent,
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          Authorization: `Bearer ${TENANT.key}`,
          'Content-Type': 'application/json',
          ...(body === undefined ? {} : { 'Content-Length': body.length }),
          ...headers,
        },
        signal: AbortSignal.timeout(WITHIN_MS),
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', none);
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
        );
      },
    );
    sent.on('error', none);
    sent.end(body);
  });
}

function isOpened(answer: unknown): answer is { conversationId: string; token: string } {
  return typeof answer === 'object' && answer !== null && 'conversationId' in answer && 'token' in answer;
}
