import { setTimeout as sleep } from 'node:timers/promises';
import { moved } from '@switchboard/engine';
import { afterEach, describe, expect, it } from 'vitest';
import type { TestCalls } from '../testing/test-thread.ts';
import { createThreads, type Threads } from './index.ts';

const opened: Threads<TestCalls>[] = [];
afterEach(async () => {
  for (const threads of opened.splice(0)) await threads.stop();
});

function open(options: { longestMs?: number; idleMs?: number } = {}): Threads<TestCalls> {
  const threads = createThreads<TestCalls, { answer(): string }>({
    module: new URL('../testing/test-thread.ts', import.meta.url),
    name: 'test',
    longestMs: 60_000,
    resourceLimits: { maxOldGenerationSizeMb: 32 },
    owner: { answer: () => 'the owner' },
    ...options,
  });
  opened.push(threads);
  return threads;
}

const hang = (threads: Threads<TestCalls>, signal?: AbortSignal) =>
  threads.use((thread) => thread.hang(), signal);
const ask = (threads: Threads<TestCalls>) => threads.use((thread) => thread.ask());

describe('threads', () => {
  it('move the buffers of marked arguments and results, and copy the others', async () => {
    const threads = open();
    const [marked, other] = [Uint8Array.of(1, 2, 3), Uint8Array.of(4, 5)];
    const reverse = (bytes: Uint8Array) => threads.use((thread) => thread.reverse(bytes));
    expect([await reverse(moved(marked, [marked])), await reverse(other)]).toEqual([
      Uint8Array.of(3, 2, 1),
      Uint8Array.of(5, 4),
    ]);
    expect([marked.length, other.length]).toEqual([0, 2]);
  });

  it('call their owner', async () => {
    expect(await ask(open())).toBe('the owner');
  });

  it('end when a use takes too long, and the next use has another thread', async () => {
    const threads = open({ longestMs: 100 });
    const thread = () => threads.use(async (one) => [one]);
    const first = await thread();
    await expect(hang(threads)).rejects.toMatchObject({ reason: 'too long' });
    expect((await thread())[0]).not.toBe(first[0]);
  });

  it('end when a use takes too much memory, and the next use has another thread', async () => {
    const threads = open();
    await expect(threads.use((thread) => thread.exhaust())).rejects.toMatchObject({
      reason: 'failed',
      cause: { code: 'ERR_WORKER_OUT_OF_MEMORY' },
    });
    expect(await ask(threads)).toBe('the owner');
  });

  it('end when the signal of a use aborts, which rejects with its reason', async () => {
    const threads = open();
    const stopping = new AbortController();
    const hanging = hang(threads, stopping.signal);
    const waiting = ask(threads);
    stopping.abort(new Error('no longer needed'));
    await expect(hanging).rejects.toThrow('no longer needed');
    expect(await waiting).toBe('the owner');
  });

  it('end when they are idle, and the next use has another thread', async () => {
    const threads = open({ idleMs: 1 });
    const [first] = await threads.use(async (thread) => [thread]);
    await sleep(100);
    await expect(first?.ask()).rejects.toThrow('closed');
    expect(await ask(threads)).toBe('the owner');
  });

  it('reject the uses in progress and those that wait when they stop', async () => {
    const threads = open();
    const uses = [hang(threads), ask(threads)].map((use) => use.catch((error: unknown) => error));
    await threads.stop();
    expect(await Promise.all(uses)).toEqual([
      expect.objectContaining({ reason: 'stopped' }),
      expect.objectContaining({ reason: 'stopped' }),
    ]);
    await expect(ask(threads)).rejects.toMatchObject({ reason: 'stopped' });
  });
});
