import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { putMessengerSettings } from '@switchboard/contracts';
import { z } from 'zod';
import type { Call } from '../harness/call.ts';
import type { Manage, TestProject } from '../harness/project.ts';
import type { RequestCounts } from './request-counts.ts';

export interface LoadOptions {
  call: Call;
  counts: RequestCounts;
  /** The factor for the default request rate. */
  intensity: number;
  linkToken: string;
  /** Reads the shared report from a different address each time, because its rate limit is per address. */
  readShared(token: string): Promise<{ status: number; body: unknown }>;
}

/** Everything that the services accepted, for verification. */
export interface Accepted {
  eventIds: string[];
  /** The distinct ids that were identified with the trait `cohort`. */
  identified: string[];
  replayChunks: number;
  conversations: { id: string; token: string; turns: string[] }[];
  comments: string[];
  annotations: string[];
}

export interface Load {
  accepted: Accepted;
  /** Stops the load and waits for requests in flight. */
  stop(): Promise<void>;
}

const opened = z.object({ conversationId: z.string(), token: z.string() });
const withId = z.object({ id: z.string() });
const thread = z.object({ id: z.string(), comments: z.array(withId) });
const MAX_IN_FLIGHT = 40;
const CONVERSATIONS = 4;
const TURNS_MS = 1_500;
/** Below the maximum of 1,000 comments per thread. */
const REPLIES_PER_THREAD = 900;

/** Creates the data that the load reads. Returns the token of a shared report. */
export async function prepareLoad(manage: Manage, call: Call, project: TestProject): Promise<string> {
  const path = `/projects/${project.id}`;
  await manage('collaboration', 'POST', `${path}/reports/${project.reportId}/runs`, {
    report: { rows: [{ signUps: 42 }] },
  });
  await manage('messenger', 'PUT', `${path}/team/grace`, { name: 'Grace' });
  await manage('messenger', 'PUT', `${path}/messenger/config`, {
    ...putMessengerSettings.request.body.content['application/json'].example,
    team: [],
  });
  await manage('flags', 'PUT', `${path}/flags/beta`, { enabled: true, rolloutPercentage: 100 });
  const expiresOn = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
  const link = await call('putPublicLink', { body: { expiresOn } });
  return z.object({ token: z.string() }).parse(link.body).token;
}

/** Sends requests of every kind at a steady rate until stopped, regardless of the responses. */
export async function startLoad(options: LoadOptions): Promise<Load> {
  const { call, counts, intensity, linkToken, readShared } = options;
  const accepted: Accepted = {
    eventIds: [],
    identified: [],
    replayChunks: 0,
    conversations: [],
    comments: [],
    annotations: [],
  };
  /** Identifies this load, because several loads may share an archive. */
  const run = randomUUID().slice(0, 8);
  const stopping = new AbortController();
  const underWay = new Set<Promise<void>>();
  let number = 0;
  let replies = 0;
  const next = (name: string) => `${name}-${++number}`;

  for (let i = 0; i < CONVERSATIONS; i++) {
    const { conversationId, token } = opened.parse((await call('openConversation')).body);
    accepted.conversations.push({ id: conversationId, token, turns: [] });
  }
  let started = thread.parse((await call('startThread', { body: { body: 'Under load.' } })).body);

  const sends: [everyMs: number, send: () => Promise<void>][] = [
    [25, sendEvents],
    [100, identify],
    [200, group],
    [400, sendReplay],
    [50, evaluate],
    [200, () => readOnly('getFlagSnapshot')],
    [300, () => readOnly('listMemberships', { distinct_id: 'user-1' })],
    [200, () => readOnly('getMessengerConfig')],
    [200, () => readOnly('listMessages', { distinct_id: 'user-1' })],
    [200, () => readOnly('listPlans')],
    [300, () => readOnly('listAiModels')],
    ...accepted.conversations.map((one): [number, () => Promise<void>] => [TURNS_MS, () => sendTurn(one)]),
    [500, () => readConversation()],
    [250, reply],
    [500, () => readOnly('listThreads')],
    [300, annotate],
    // Not scaled by intensity: an address may read a link 30 times per minute.
    [2_500 * intensity, share],
  ];
  const loops = sends.map(([everyMs, send]) => repeat(everyMs / intensity, send));

  async function repeat(everyMs: number, send: () => Promise<void>): Promise<void> {
    await sleep(Math.random() * everyMs);
    while (!stopping.signal.aborted) {
      if (underWay.size < MAX_IN_FLIGHT * intensity) {
        const one = send().finally(() => underWay.delete(one));
        underWay.add(one);
      }
      await sleep(everyMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  async function sendEvents(): Promise<void> {
    const now = new Date().toISOString();
    const events = Array.from({ length: 5 }, () => {
      const id = next(`event-${run}`);
      const common = { event_name: 'order placed', schema_version: 1, timestamp: now };
      return { event_id: id, distinct_id: `person-${number % 50}`, ...common };
    });
    const answer = await counts.count('events', () =>
      call('ingestEvents', { body: { sent_at: now, events } }),
    );
    if (answer !== undefined) accepted.eventIds.push(...events.map((event) => event.event_id));
  }

  async function identify(): Promise<void> {
    const distinct_id = next('identified');
    const body = { distinct_id, properties: { cohort: distinct_id } };
    const answer = await counts.count('identify', () => call('identify', { body }));
    if (answer !== undefined) accepted.identified.push(distinct_id);
  }

  async function group(): Promise<void> {
    await counts.count('group', () => call('group'));
  }

  async function sendReplay(): Promise<void> {
    const chunk = { distinct_id: 'user-1', session_id: next('session'), seq: 0, events: [{ type: 4 }] };
    const body = {
      ...chunk,
      masked: true,
      schema_version: 1,
      sdk: 'test',
      timestamp: new Date().toISOString(),
    };
    const answer = await counts.count('replay', () => call('uploadReplayChunk', { body }));
    if (answer !== undefined) accepted.replayChunks += 1;
  }

  async function evaluate(): Promise<void> {
    await counts.count('flags', () => call('evaluateFlags', { query: { distinct_id: next('asks') } }));
  }

  async function readOnly(operationId: string, query: Record<string, string> = {}): Promise<void> {
    await counts.count(operationId, () => call(operationId, { query }));
  }

  async function sendTurn(conversation: Accepted['conversations'][number]): Promise<void> {
    const body = next('turn');
    const answer = await counts.count('turn', () =>
      call('appendTurn', { ...within(conversation), body: { body } }),
    );
    if (answer !== undefined) conversation.turns.push(body);
  }

  async function readConversation(): Promise<void> {
    const one = accepted.conversations[number % CONVERSATIONS];
    if (one !== undefined) await counts.count('conversation', () => call('getConversation', within(one)));
  }

  async function reply(): Promise<void> {
    replies += 1;
    if (replies % REPLIES_PER_THREAD === 0) {
      const body = { body: 'Still under load.' };
      const answer = await counts.count('thread', () => call('startThread', { body }));
      if (answer !== undefined) started = thread.parse(answer.body);
    }
    const body = next('comment');
    const params = { threadId: started.id };
    const answer = await counts.count('reply', () => call('replyToThread', { params, body: { body } }));
    if (answer !== undefined) accepted.comments.push(body);
  }

  async function annotate(): Promise<void> {
    const text = next('annotation');
    const body = { startsOn: '2026-03-01', text, tags: ['load'] };
    const answer = await counts.count('annotation', () => call('createAnnotation', { body }));
    if (answer !== undefined) accepted.annotations.push(text);
  }

  async function share(): Promise<void> {
    await counts.count('shared report', () => readShared(linkToken));
  }

  return {
    accepted,
    async stop() {
      stopping.abort();
      await Promise.all(loops);
      await Promise.all(underWay);
    },
  };
}

export const within = ({ id, token }: { id: string; token: string }) => ({
  params: { id },
  headers: { 'X-Service-Conversation-Token': token },
});
