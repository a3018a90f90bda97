import { withSignal } from './deadline.ts';

type Resume = () => void;

/** A shorter turn is followed by the next one as soon as other callbacks have run. */
const SHORT_MS = 5;
const MAX_REST_MS = 50;
/** The time that brief turns may take in one pass of the event loop before other callbacks run. */
const PASS_MS = 4;

/**
 * A queue of waiting callers, in order of their calls for each holder (a project, an address). `next` takes the
 * holders in rotation.
 */
function createRotation() {
  const waiting = new Map<string, Resume[]>();
  return {
    add(holder: string, resume: Resume): void {
      const queue = waiting.get(holder);
      if (queue === undefined) waiting.set(holder, [resume]);
      else queue.push(resume);
    },
    /** Returns the next caller among the holders that `may` accepts. */
    next(may: (holder: string) => boolean = () => true): Resume | undefined {
      for (const [holder, queue] of waiting) {
        if (!may(holder)) continue;
        waiting.delete(holder);
        const resume = queue.shift();
        if (queue.length > 0) waiting.set(holder, queue);
        return resume;
      }
      return undefined;
    },
    isEmpty: (): boolean => waiting.size === 0,
    remove(holder: string, resume: Resume): void {
      const left = waiting.get(holder)?.filter((one) => one !== resume) ?? [];
      if (left.length > 0) waiting.set(holder, left);
      else waiting.delete(holder);
    },
  };
}

/** The place of one task among those that run or wait. */
export interface Place {
  /** Begins the task now, or once another has left and it is the holder's turn. */
  enter(begin: () => void): void;
  /** Allows the next task to begin. If this task has not begun, it never begins. */
  leave(): void;
}

/**
 * Allows up to `count` tasks to run at a time, and up to `ofHolder` of each named holder, so that slow tasks of one
 * holder cannot occupy all places. The other tasks wait and begin with the holders in rotation.
 */
export function createPlaces(count: number, ofHolder = count): (holder: string) => Place {
  const waiting = createRotation();
  const running = new Map<string, number>();
  let free = count;

  const runningOf = (holder: string) => running.get(holder) ?? 0;
  const may = (holder: string) => free > 0 && (holder === '' || runningOf(holder) < ofHolder);

  function take(holder: string): void {
    free--;
    running.set(holder, runningOf(holder) + 1);
  }

  function giveBack(holder: string): void {
    free++;
    const left = runningOf(holder) - 1;
    if (left === 0) running.delete(holder);
    else running.set(holder, left);
    waiting.next(may)?.();
  }

  return (holder) => {
    let state: 'new' | 'waiting' | 'running' | 'left' = 'new';
    let resume: Resume | undefined;
    return {
      enter(begin) {
        resume = () => {
          state = 'running';
          take(holder);
          begin();
        };
        if (may(holder)) {
          resume();
        } else {
          state = 'waiting';
          waiting.add(holder, resume);
        }
      },
      leave() {
        const before = state;
        state = 'left';
        if (before === 'waiting' && resume !== undefined) waiting.remove(holder, resume);
        // The rest of the task's callback, such as freeing its connection, runs first.
        if (before === 'running') queueMicrotask(() => giveBack(holder));
      },
    };
  };
}

/**
 * Runs up to `count` tasks at a time, and up to `ofHolder` of each holder. The others wait and begin with the holders
 * in rotation. A task with a signal that aborts before it begins never begins, and rejects with the signal's reason.
 */
export function createSlots(
  count: number,
  ofHolder = count,
): <T>(holder: string, work: () => Promise<T>, signal?: AbortSignal) => Promise<T> {
  const placeOf = createPlaces(count, ofHolder);
  return async (holder, work, signal) => {
    const place = placeOf(holder);
    try {
      const begun = new Promise<void>((resolve) => place.enter(resolve));
      await (signal === undefined ? begun : withSignal(signal, begun));
      return await work();
    } finally {
      place.leave();
    }
  };
}

/** Shared by the whole process, like the event loop. */
const waitingForLoop = createRotation();
let isGiving = false;

/**
 * Resolves when the caller may occupy the event loop for some milliseconds, with work that takes too long to run
 * immediately. Turns are granted one at a time to the holders (projects, addresses) in rotation. After a long turn,
 * the loop is left to other work for as long.
 */
export function turnOfLoop(holder: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  waitingForLoop.add(holder, resolve);
  if (!isGiving) {
    isGiving = true;
    setImmediate(giveTurn);
  }
  return promise;
}

function giveTurn(): void {
  const resume = waitingForLoop.next();
  if (resume === undefined) {
    isGiving = false;
    return;
  }
  const began = performance.now();
  resume();
  // The work runs in microtasks, before any other callback.
  setImmediate(() => {
    const took = performance.now() - began;
    if (took < SHORT_MS) setImmediate(giveTurn);
    else setTimeout(giveTurn, Math.min(took, MAX_REST_MS));
  });
}

const waitingBriefly = createRotation();
/** When the brief work of this pass of the loop began; undefined if there is none. */
let passBegan: number | undefined;

/**
 * Like `turnOfLoop`, for tasks of about a millisecond. Tasks with a total of up to `PASS_MS` run in one pass of the
 * loop. Returns undefined if the caller may continue immediately, which is nearly always the case.
 */
export function briefTurn(holder: string): Promise<void> | undefined {
  if (hasTimeInPass() && waitingBriefly.isEmpty()) return undefined;
  const { promise, resolve } = Promise.withResolvers<void>();
  waitingBriefly.add(holder, resolve);
  return promise;
}

function hasTimeInPass(): boolean {
  const now = performance.now();
  if (passBegan === undefined) {
    passBegan = now;
    setImmediate(beginPass);
  }
  return now - passBegan < PASS_MS;
}

function beginPass(): void {
  passBegan = undefined;
  giveBriefTurns();
}

function giveBriefTurns(): void {
  if (waitingBriefly.isEmpty() || !hasTimeInPass()) return;
  waitingBriefly.next()?.();
  // The work runs in microtasks, and a tick requested by one of them runs after all of them.
  queueMicrotask(() => process.nextTick(giveBriefTurns));
}
