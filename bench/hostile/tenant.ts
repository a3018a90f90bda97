import { setTimeout as sleep } from 'node:timers/promises';
import { TENANT } from './deployment.ts';

/** Requests of the well-behaved tenant, by what they do. */
export type Kind = 'events' | 'identify' | 'flags' | 'open' | 'turn' | 'thread';

export interface Observed {
  kind: Kind;
  /** 0 for a request without a response. */
  status: number;
  ms: number;
}

interface Urls {
  ingestion: string;
  flags: string;
  messenger: string;
}

const WITHIN_MS = 15_000;

/**
 * A tenant that does nothing special, without retries, until it is told to stop: 20 batches of 10 events, 20
 * evaluations, 4 identify calls, 2 turns and 2 reads of a conversation a second.
 */
export async function behave(urls: Urls, until: AbortSignal): Promise<Observed[]> {
  const observed: Observed[] = [];
  let number = 0;

  async function send(kind: Kind, url: string, body?: unknown, headers = {}): Promise<unknown> {
    const startedAt = performance.now();
    let status = 0;
    let answer: unknown;
    try {
      const response = await fetch(url, {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          Authorization: `Bearer ${TENANT.key}`,
          'Content-Type': 'application/json',
          'X-Forwarded-For': `198.51.100.${number % 250}`,
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(WITHIN_MS),
      });
      const text = await response.text();
      status = response.status;
      answer = text === '' ? undefined : JSON.parse(text);
    } catch {
      // Counted as a request without a response.
    }
    observed.push({ kind, status, ms: performance.now() - startedAt });
    return answer;
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

  await Promise.all([
    every(50, events),
    every(50, () => send('flags', `${urls.flags}/v1/flags?distinct_id=${person()}`)),
    every(250, () =>
      send('identify', `${urls.ingestion}/v1/identify`, {
        distinct_id: person(),
        properties: { plan: 'pro' },
      }),
    ),
    every(500, converse),
  ]);
  return observed;
}

function isOpened(answer: unknown): answer is { conversationId: string; token: string } {
  return typeof answer === 'object' && answer !== null && 'conversationId' in answer && 'token' in answer;
}

export const isSuccess = ({ status }: Observed) => status >= 200 && status < 300;
