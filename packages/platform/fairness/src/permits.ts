import { withSignal } from '@switchboard/resilience';
import { createRotation } from './rotation.ts';

/** The permit of one task to run. */
export interface Permit {
  /** Begins the task now, or once another permit is released and it is the turn of the key. */
  acquire(begin: () => void): void;
  /** Allows the next task to begin. If this task has not begun, it never begins. */
  release(): void;
}

/**
 * Allows up to `count` tasks to run at a time, and up to `perKey` of each named key, so that slow tasks of one key
 * cannot take every permit. The other tasks wait and begin with the keys in rotation.
 */
export function createPermits(count: number, perKey = count): (key: string) => Permit {
  const waiting = createRotation();
  const running = new Map<string, number>();
  let free = count;

  const runningOf = (key: string) => running.get(key) ?? 0;
  const may = (key: string) => free > 0 && (key === '' || runningOf(key) < perKey);

  function take(key: string): void {
    free--;
    running.set(key, runningOf(key) + 1);
  }

  function giveBack(key: string): void {
    free++;
    const left = runningOf(key) - 1;
    if (left === 0) running.delete(key);
    else running.set(key, left);
    waiting.next(may)?.();
  }

  return (key) => {
    let state: 'new' | 'waiting' | 'running' | 'released' = 'new';
    let resume: (() => void) | undefined;
    return {
      acquire(begin) {
        resume = () => {
          state = 'running';
          take(key);
          begin();
        };
        if (may(key)) {
          resume();
        } else {
          state = 'waiting';
          waiting.add(key, resume);
        }
      },
      release() {
        const before = state;
        state = 'released';
        if (before === 'waiting' && resume !== undefined) waiting.remove(key, resume);
        // The rest of the task's callback, such as freeing its connection, runs first.
        if (before === 'running') queueMicrotask(() => giveBack(key));
      },
    };
  };
}

/**
 * Runs up to `count` tasks at a time, and up to `perKey` of each fairness key. The others wait and begin with the keys
 * in rotation. A task with a signal that aborts before it begins never begins, and rejects with the signal's reason.
 */
export function createFairQueue(
  count: number,
  perKey = count,
): <T>(key: string, work: () => Promise<T>, signal?: AbortSignal) => Promise<T> {
  const permitOf = createPermits(count, perKey);
  return async (key, work, signal) => {
    const permit = permitOf(key);
    try {
      const begun = new Promise<void>((resolve) => permit.acquire(resolve));
      await (signal === undefined ? begun : withSignal(signal, begun));
      return await work();
    } finally {
      permit.release();
    }
  };
}
