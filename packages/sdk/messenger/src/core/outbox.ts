import { backoffMs } from '@switchboard/browser/transport';
import { type Access, type Answer, type Api, isTemporary } from './api.ts';
import type { Kept, Outgoing, Thread } from './kept.ts';
import { parseTurn, type Turn } from './turns.ts';
import { textOf } from './values.ts';

interface OutboxOptions {
  api: Api;
  kept: Kept;
  /** The name of the lock that lets one tab send at a time. */
  lock: string;
  /** Returns the person of a new conversation and, if the page provides it, the user. */
  opening(): object;
  /** Called when the server has stored the turn. */
  onSent(thread: string, turn: Turn): void;
  onChange(): void;
  /** Called when the server has permanently rejected something. */
  onRefused(answer: Answer): void;
}

const MAX_UPLOAD_ATTEMPTS = 8;
const FULL = 409;
const GONE = 401;

/** Creates the outbox, which opens conversations and sends turns until the server has stored each of them once. */
export function createOutbox(options: OutboxOptions) {
  const { api, kept, onSent, onChange, onRefused } = options;
  let isDelivering = false;
  let again = false;
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * Runs in one tab at a time, if the page has locks, which a sandboxed one has not. Otherwise two tabs may send the
   * same turn, which is stored once.
   */
  async function locked(run: () => Promise<void>): Promise<void> {
    if ('locks' in navigator && self.origin !== 'null') await navigator.locks.request(options.lock, run);
    else await run();
  }

  const threadOf = (key: string) => kept.read().threads.find((thread) => thread.key === key);
  const changeThread = (key: string, change: Partial<Thread>) =>
    kept.update(({ threads }) => ({
      threads: threads.map((thread) => (thread.key === key ? { ...thread, ...change } : thread)),
    }));

  const opening = new Map<string, ReturnType<typeof openNow>>();

  /**
   * Opens a conversation once, regardless of how many turns and files wait for it, because not every page has
   * locks.
   */
  function open(key: string): ReturnType<typeof openNow> {
    const current = opening.get(key) ?? openNow(key).finally(() => opening.delete(key));
    opening.set(key, current);
    return current;
  }

  async function openNow(key: string): Promise<Access | Answer | undefined> {
    const thread = threadOf(key);
    if (thread === undefined) return undefined;
    const { id, token } = thread;
    if (id !== undefined && token !== undefined) return { id, token };
    const answer = await api.open(options.opening());
    if (answer.status !== 201) return answer;
    const access = { id: textOf(answer.body['conversationId']), token: textOf(answer.body['token']) };
    changeThread(key, access);
    onChange();
    return access;
  }

  /** Sends a turn. Returns undefined if it was sent or permanently rejected. */
  async function send(item: Outgoing): Promise<Answer | undefined> {
    const opened = await open(item.thread);
    if (opened === undefined) return remove(item);
    if ('status' in opened) return isTemporary(opened) ? opened : refuse(item, opened);
    const { body, files, page } = item;
    const attachmentIds = files.map(({ id }) => id);
    const answer = await api.turn(opened, item.key, { body, pageContext: page, attachmentIds });
    const turn = answer.status === 201 ? parseTurn(answer.body['turn']) : undefined;
    if (turn !== undefined) {
      onSent(item.thread, turn);
      return remove(item);
    }
    if (isTemporary(answer)) return answer;
    // The conversation has expired or is full. The unsent turns move to a new one.
    const isOver = answer.status === GONE || answer.status === FULL;
    if (!isOver || files.length > 0) return refuse(item, answer);
    changeThread(item.thread, { id: undefined, token: undefined, seen: undefined });
    const reopened = await open(item.thread);
    return reopened !== undefined && 'status' in reopened && !isTemporary(reopened)
      ? refuse(item, reopened)
      : { ...answer, waitMs: 0 };
  }

  function remove({ key }: Outgoing): undefined {
    kept.update(({ outbox }) => ({ outbox: outbox.filter((one) => one.key !== key) }));
  }

  function refuse({ key }: Outgoing, answer: Answer): undefined {
    onRefused(answer);
    kept.update(({ outbox }) => ({
      outbox: outbox.map((one) => (one.key === key ? { ...one, problem: answer.problem } : one)),
    }));
  }

  async function deliverAll(): Promise<void> {
    for (;;) {
      const item = kept.read().outbox.find(({ problem }) => problem === undefined);
      if (item === undefined) return;
      const answer = await send(item);
      onChange();
      if (answer === undefined) {
        failures = 0;
        continue;
      }
      timer = setTimeout(() => void deliver(), answer.waitMs + backoffMs(failures++));
      return;
    }
  }

  async function deliver(): Promise<void> {
    if (isDelivering) {
      again = true;
      return;
    }
    if (kept.read().outbox.every(({ problem }) => problem !== undefined)) return;
    isDelivering = true;
    clearTimeout(timer);
    try {
      await locked(deliverAll);
    } finally {
      isDelivering = false;
    }
    if (!again) return;
    again = false;
    await deliver();
  }

  return {
    deliver: () => void deliver().catch(() => undefined),
    /** Sends the waiting turns when the browser is online again. */
    retryNow(): void {
      failures = 0;
      void deliver().catch(() => undefined);
    },
    /** Uploads a file to the conversation and opens it if necessary. Returns the server's last response. */
    async upload(key: string, file: Parameters<Api['upload']>[1]): Promise<Answer | undefined> {
      for (let attempt = 0; ; attempt += 1) {
        let opened: Access | Answer | undefined;
        await locked(async () => {
          opened = await open(key);
        });
        if (opened === undefined || file.signal.aborted) return undefined;
        const answer = 'status' in opened ? opened : await api.upload(opened, file);
        if (!isTemporary(answer) || attempt >= MAX_UPLOAD_ATTEMPTS || file.signal.aborted) return answer;
        const waitMs = answer.waitMs + backoffMs(attempt);
        await new Promise((resolve) => setTimeout(resolve, waitMs));
      }
    },
    pause: () => clearTimeout(timer),
  };
}
