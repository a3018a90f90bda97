import { expect, test } from 'vitest';
import { createResults } from '../results/results.ts';
import { createWaiting } from './waiting.ts';

function open() {
  const results = createResults({ cacheBytes: 1_000_000 });
  const waiting = createWaiting();
  const computed: { allLeft: AbortSignal; resolve: (json: string) => void }[] = [];
  const ask = (left: AbortSignal) =>
    waiting.share(left, (allLeft) =>
      results.of(['query'], 0, () => {
        const { promise, resolve, reject } = Promise.withResolvers<string>();
        allLeft.addEventListener('abort', () => reject(new Error('left')));
        computed.push({ allLeft, resolve });
        return promise;
      }),
    );
  return { ask, computed };
}

test('ends a computation when the last client that waits for it has left', async () => {
  const { ask, computed } = open();
  const [first, second] = [new AbortController(), new AbortController()];
  const prepared = [ask(first.signal).prepare(), ask(second.signal).prepare()];
  first.abort();
  expect(computed.map(({ allLeft }) => allLeft.aborted)).toEqual([false]);
  second.abort();
  expect(computed.map(({ allLeft }) => allLeft.aborted)).toEqual([true]);
  expect(await Promise.allSettled(prepared)).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
  const later = ask(new AbortController().signal).prepare();
  computed.at(-1)?.resolve('{"n":1}');
  expect((await later).body).toContain('"n":1');
  expect(computed).toHaveLength(2);
});

test('completes for a client that stays', async () => {
  const { ask, computed } = open();
  const gone = new AbortController();
  const prepared = [ask(gone.signal).prepare(), ask(new AbortController().signal).prepare()];
  gone.abort();
  computed[0]?.resolve('{"n":1}');
  expect((await Promise.all(prepared)).map(({ body }) => body.includes('"n":1'))).toEqual([true, true]);
  // Leaving afterwards changes nothing.
  expect((await ask(AbortSignal.abort()).prepare()).body).toContain('"n":1');
});
