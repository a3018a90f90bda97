import { ObjectStoreError } from '@switchboard/object-store';
import { expect, test } from 'vitest';
import { DUCKDB } from '../engine/duckdb-dialect.ts';
import { EngineBusy, QueryTimeout, QueryTooLarge } from '../engine/engine.ts';
import { sql } from '../engine/sql.ts';
import { FileGone, TooManyBytes } from '../files/cache.ts';
import { DiskFull } from '../files/disk-full.ts';
import { createQueryQueue } from './query-queue.ts';
import { type Found, TooManyFiles } from './source.ts';

const TIMEOUT_MS = 50;

const found: Found = {
  version: '1',
  read: (_signal, work) => work({ dialect: DUCKDB, projectId: 'p', events: sql`events` }),
};

/**
 * Creates a queue that runs up to `maxRunning` queries, and a function that runs one. It runs until its work is
 * done.
 */
function runnerOf({ maxRunning = 1, maxWaiting = 5, timeoutMs = TIMEOUT_MS } = {}) {
  const queue = createQueryQueue({
    engine: { query: async () => [], eachPerson: async () => undefined },
    sources: { find: async () => found },
    maxRunning,
    maxWaiting,
    timeoutMs,
  });
  return <T>(work: () => Promise<T>, project = 'p') =>
    queue.run(project, found, work, { signal: queue.deadline() });
}

const unavailable = { status: 503, headers: { 'Retry-After': '5' } };

test('rejects a query that is still running or waiting at its timeout', async () => {
  const run = runnerOf();
  const work = Promise.withResolvers<string>();
  const running = run(() => work.promise);
  const waiting = run(async () => 'never begun');
  await expect(running).rejects.toMatchObject(unavailable);
  await expect(waiting).rejects.toMatchObject(unavailable);
  // A query that still runs keeps its permit, and the next begins once it ends.
  await expect(run(async () => 'too early')).rejects.toMatchObject(unavailable);
  const next = run(async () => 'next');
  work.resolve('too late');
  expect(await next).toBe('next');
});

test('leaves one permit to other projects', async () => {
  const run = runnerOf({ maxRunning: 3, timeoutMs: 40_000 });
  const work = Promise.withResolvers<string>();
  const running = [run(() => work.promise, 'large'), run(() => work.promise, 'large')];
  let hasBegun = false;
  const third = run(async () => {
    hasBegun = true;
  }, 'large');
  expect(await run(async () => 'small', 'small')).toBe('small');
  expect(hasBegun).toBe(false);
  work.resolve('done');
  await Promise.all([...running, third]);
});

test('rejects a query at once when the queue is full', async () => {
  const run = runnerOf({ maxWaiting: 1, timeoutMs: 40_000 });
  const work = Promise.withResolvers<string>();
  const asked = [run(() => work.promise), run(async () => 'second')];
  await expect(run(async () => 'third')).rejects.toMatchObject(unavailable);
  work.resolve('first');
  expect(await Promise.all(asked)).toEqual(['first', 'second']);
  expect(await run(async () => 'fourth')).toBe('fourth');
});

test('drops the latest query of the project with the most when another project needs a place', async () => {
  const run = runnerOf({ maxWaiting: 4, timeoutMs: 40_000 });
  const work = Promise.withResolvers<string>();
  const running = run(() => work.promise, 'large');
  const waiting = Array.from({ length: 4 }, (_, index) => run(async () => `large ${index}`, 'large'));
  const outcomes = Promise.allSettled(waiting);
  const other = run(async () => 'small', 'small');
  await expect(waiting[3]).rejects.toMatchObject(unavailable);
  const again = run(async () => 'small again', 'small');
  await expect(waiting[2]).rejects.toMatchObject(unavailable);
  // Now it has no more queries than the other project would have.
  await expect(run(async () => 'no', 'small')).rejects.toMatchObject(unavailable);
  await expect(run(async () => 'no', 'large')).rejects.toMatchObject(unavailable);
  work.resolve('done');
  expect(await Promise.all([running, other, again])).toEqual(['done', 'small', 'small again']);
  expect((await outcomes).map(({ status }) => status)).toEqual([
    ...['fulfilled', 'fulfilled', 'rejected', 'rejected'],
  ]);
});

test('gives a query one deadline for everything it needs', async () => {
  const queue = createQueryQueue({
    engine: { query: async () => [], eachPerson: async () => undefined },
    sources: { find: () => new Promise(() => undefined) },
    maxRunning: 1,
    maxWaiting: 1,
    timeoutMs: TIMEOUT_MS,
  });
  const signal = queue.deadline();
  await expect(queue.find({ projectId: 'p', names: undefined }, { signal })).rejects.toMatchObject(
    unavailable,
  );
  const late = queue.run('p', found, async () => 'late', { signal });
  await expect(late).rejects.toMatchObject(unavailable);
});

test.each([
  [new TooManyFiles('many'), { status: 400 }, /^range: too many events; use a shorter range/],
  [new TooManyBytes('many'), { status: 400 }, /^range: too many events; use a shorter range/],
  [new QueryTooLarge('large'), { status: 400 }, /^range: the result needs too much memory; use a sh/],
  [new QueryTimeout('late'), unavailable, /^The query took too long\. Retry after .* a shorter range/],
  [new EngineBusy('busy'), unavailable, /^The event database is busy\. Retry after/],
  [
    new ObjectStoreError('SlowDown'),
    { status: 503 },
    /^The object store with the events is unavailable\. Retry/,
  ],
  [new DiskFull('full'), unavailable, /^The disk of the query cache has no space left\. Retry after/],
  [new FileGone('gone'), { status: 503 }, /^The files of the query were just replaced\. Retry/],
])('says what to do after %s', async (error, refusal, message) => {
  const failure = runnerOf()(() => Promise.reject(error));
  await expect(failure).rejects.toMatchObject(refusal);
  await expect(failure).rejects.toThrow(message);
});
