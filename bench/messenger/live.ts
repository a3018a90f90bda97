import { setTimeout as sleep } from 'node:timers/promises';
import { call, type Program } from '@switchboard/testkit';
import { AUTHORIZED, PROJECT_ID, PROJECT_KEY } from '../lib/project.ts';
import { quantile } from '../lib/statistics.ts';
import { decimals, printTable } from '../lib/table.ts';
import type { Deployment } from './deployment.ts';

const AGENTS = 100;
const CONVERSATIONS = 200;
const TURNS_PER_SECOND = 200;
/** The conversations in which the visitor types, once a second each. */
const TYPISTS = 20;
const WARM_UP_MS = 3_000;

interface Opened {
  id: string;
  token: string;
}

/**
 * Measures the time from a visitor's request, or from the signal that they type, until the stream of each agent has it.
 * Turns go to both instances, and half of the agents are connected to each.
 */
export async function measureLive(deployment: Deployment, seconds: number): Promise<void> {
  const { messenger } = deployment;
  const instances = [messenger, await deployment.startMessenger()];
  const conversations: Opened[] = [];
  for (let count = 0; count < CONVERSATIONS; count++) {
    const { body } = await call('POST', `${messenger.url}/v1/conversations`, {
      headers: AUTHORIZED,
      body: { distinctId: 'bench' },
    });
    conversations.push({ id: body.conversationId, token: body.token });
  }
  const agents = followAll(deployment, instances);
  await agents.ready;
  const typing = typeIn(conversations.slice(0, TYPISTS), messenger);
  await sendTurns(conversations, instances, WARM_UP_MS / 1_000);
  agents.reset();
  await sendTurns(conversations, instances, seconds);
  await sleep(1_000);
  typing.stop();
  agents.close();
  const rows = [
    ['turns', agents.turns],
    ['typing', agents.typing(typing.sentAt)],
  ] as const;
  printTable(
    [`${AGENTS} agents, ${TURNS_PER_SECOND} turns/s`, 'received', 'p50 ms', 'p99 ms', 'max ms'],
    rows.map(([name, times]) => [
      name,
      String(times.length),
      ...[0.5, 0.99, 1].map((share) => decimals(quantile(times, share))),
    ]),
  );
}

/** Opens the streams of agents. The body of a turn is the time at which it was sent. */
function followAll({ tokens }: Deployment, instances: readonly Program[]) {
  const closing = new AbortController();
  const turns: number[] = [];
  const typed: { id: string; at: number }[] = [];
  /** Agents get the same messages, so that each is parsed once. */
  let parsed = { text: '', changes: changesIn('') };

  function take(text: string): void {
    const at = Date.now();
    if (text !== parsed.text) parsed = { text, changes: changesIn(text) };
    for (const { kind, conversationId, state, turn } of parsed.changes) {
      if (kind === 'turn' && turn !== undefined) turns.push(at - Number(turn.body));
      if (kind === 'presence' && state === 'typing') typed.push({ id: conversationId, at });
    }
  }

  async function follow(index: number): Promise<void> {
    const { url } = instances[index % instances.length] ?? { url: '' };
    const path = `/v1/projects/${PROJECT_ID}/live-conversations`;
    const response = await fetch(url + path, {
      headers: { Authorization: `Bearer ${tokens[index % tokens.length]}` },
      signal: closing.signal,
    });
    if (response.status !== 200) throw new Error(`the stream of an agent got status ${response.status}`);
    void read(response).catch(() => undefined);
  }

  async function read({ body }: Response): Promise<void> {
    let text = '';
    for await (const bytes of body ?? []) {
      text += Buffer.from(bytes).toString();
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) if (block.startsWith('data: ')) take(block.slice('data: '.length));
    }
  }

  return {
    ready: Promise.all(Array.from({ length: AGENTS }, (_, index) => follow(index))),
    turns,
    /** Returns how long each signal took from the last one that was sent before it. */
    typing: (sentAt: ReadonlyMap<string, readonly number[]>) =>
      typed.flatMap(({ id, at }) => {
        const sent = sentAt.get(id)?.findLast((time) => time <= at);
        return sent === undefined ? [] : [at - sent];
      }),
    reset(): void {
      turns.length = 0;
      typed.length = 0;
    },
    close: () => closing.abort(),
  };
}

interface Change {
  kind: string;
  conversationId: string;
  state?: string;
  turn?: { body: string };
}

function changesIn(text: string): Change[] {
  const message: { changes?: Change[] } = text === '' ? {} : JSON.parse(text);
  return message.changes ?? [];
}

/** Types in conversations, with a socket for each. */
function typeIn(conversations: readonly Opened[], { url }: Program) {
  const sentAt = new Map<string, number[]>();
  const sockets = conversations.map(({ id, token }) => {
    const socket = new WebSocket(
      `${url.replace('http', 'ws')}/v1/messenger/socket?api_key=${PROJECT_KEY}&distinct_id=${id}`,
    );
    const send = (message: object) => socket.send(JSON.stringify(message));
    socket.onopen = () => send({ type: 'subscribe', conversationId: id, token });
    const timer = setInterval(() => {
      if (socket.readyState !== WebSocket.OPEN) return;
      sentAt.set(id, [...(sentAt.get(id) ?? []), Date.now()]);
      send({ type: 'typing', conversationId: id });
    }, 1_000);
    return { socket, timer };
  });
  return {
    sentAt,
    stop(): void {
      for (const { socket, timer } of sockets) {
        clearInterval(timer);
        socket.close();
      }
    },
  };
}

/** Sends turns at a steady rate, regardless of how long each takes. */
async function sendTurns(
  conversations: readonly Opened[],
  instances: readonly Program[],
  seconds: number,
): Promise<void> {
  const start = performance.now();
  const sent: Promise<unknown>[] = [];
  for (let count = 0; count < seconds * TURNS_PER_SECOND; count++) {
    const due = start + (count * 1_000) / TURNS_PER_SECOND;
    if (due > performance.now()) await sleep(due - performance.now());
    const { id, token } = conversations[count % conversations.length] ?? { id: '', token: '' };
    const { url } = instances[count % instances.length] ?? { url: '' };
    const headers = { ...AUTHORIZED, 'X-Service-Conversation-Token': token };
    const path = `${url}/v1/conversations/${id}/turns`;
    sent.push(call('POST', path, { headers, body: { body: String(Date.now()) } }));
  }
  await Promise.all(sent);
}
