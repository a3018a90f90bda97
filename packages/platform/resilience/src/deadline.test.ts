import { expect, it } from 'vitest';
import { withSignal } from './deadline.ts';

it('settles with the work while the signal has not aborted', async () => {
  const { signal } = new AbortController();
  expect(await withSignal(signal, Promise.resolve('done'))).toBe('done');
  await expect(withSignal(signal, Promise.reject(new Error('failed')))).rejects.toThrow('failed');
});

it('rejects with the reason once the signal aborts, before or during the work, and ignores later results', async () => {
  const aborting = new AbortController();
  const work = Promise.withResolvers<string>();
  const waiting = withSignal(aborting.signal, work.promise);
  aborting.abort(new Error('too late'));
  await expect(waiting).rejects.toThrow('too late');
  await expect(withSignal(aborting.signal, work.promise)).rejects.toThrow('too late');
  work.reject(new Error('failed later'));
});
