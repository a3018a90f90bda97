import { expect, it } from 'vitest';
import { createOwnership } from '../deliver.ts';
import { PartitionLost } from '../errors.ts';
import type { LogEntry } from '../types.ts';
import { createCommits } from './commits.ts';

/** Creates commits that end when the test says so. */
function setUp() {
  const logged: LogEntry[] = [];
  const commits = createCommits('group', (entry) => void logged.push(entry));
  const started: bigint[] = [];
  const open: { end(error?: Error): void }[] = [];
  const commit = (_: unknown, offset: bigint) => {
    started.push(offset);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    open.push({ end: (error) => (error === undefined ? resolve() : reject(error)) });
    return promise;
  };
  async function end(error?: Error): Promise<void> {
    open.shift()?.end(error);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  return { commits, commit, started, end, logged };
}

it('commits the newest offset once the running commit has ended, and each partition by itself', async () => {
  const { commits, commit, started, end } = setUp();
  const [one, other] = [createOwnership('topic', 0), createOwnership('topic', 1)];
  for (const offset of [1n, 2n, 3n]) commits.soon(one, offset, commit);
  commits.soon(other, 7n, commit);
  expect(started).toEqual([1n, 7n]);
  await end();
  expect(started).toEqual([1n, 7n, 3n]);
  await end();
  await end();
  await commits.settled();
  expect(started).toEqual([1n, 7n, 3n]);
});

it.each(Array.from({ length: 12 }, (_, turns) => turns))(
  'commits an offset that comes %i microtasks after the one before',
  async (turns) => {
    const { commits } = setUp();
    const ownership = createOwnership('topic', 0);
    const committed: bigint[] = [];
    const commit = async (_: unknown, offset: bigint) => {
      committed.push(offset);
    };
    commits.soon(ownership, 1n, commit);
    for (let turn = 0; turn < turns; turn++) await undefined;
    commits.soon(ownership, 2n, commit);
    await commits.settled();
    expect(committed).toEqual([1n, 2n]);
  },
);

it('tries a failed commit again, logs the first failure, and settles when it succeeds', async () => {
  const { commits, commit, started, end, logged } = setUp();
  commits.soon(createOwnership('topic', 0), 1n, commit);
  let isSettled = false;
  const settled = commits.settled().then(() => {
    isSettled = true;
  });
  await end(new Error('no broker'));
  await end(new Error('no broker'));
  expect({ started, isSettled }).toEqual({ started: [1n, 1n, 1n], isSettled: false });
  await end();
  await settled;
  expect(logged.map(({ message }) => message)).toEqual(['group cannot commit, retrying: no broker']);
});

it('ends quietly when the partition is lost, and after one attempt when the consumer stops', async () => {
  const { commits, commit, started, end, logged } = setUp();
  const lost = createOwnership('topic', 0);
  commits.soon(lost, 1n, commit);
  commits.soon(lost, 2n, commit);
  await end(new PartitionLost('lost'));
  const stopped = createOwnership('topic', 1);
  stopped.stop();
  commits.soon(stopped, 5n, commit);
  await end(new Error('no broker'));
  await commits.settled();
  expect(started).toEqual([1n, 5n]);
  expect(logged).toHaveLength(1);
});
