import { withSignal } from './deadline.ts';

type Resume = () => void;

/** A turn that is shorter is followed by the next one as soon as other callbacks have run. */
const SHORT_MS = 5;
const MAX_REST_MS = 50;
/** What brief turns take in one pass of the loop, until other callbacks run. */
const PASS_MS = 4;

/** Those who wait, in the order of their calls for each holder (a project, an address); `next` takes the holders in rotation. */
function createRotation() {
  const waiting = new Map<string, Resume[]>();
  return {
    add(holder: string, resume: Resume): void {
      const queue = waiting.get(holder);
      if (queue === undefined) waiting.set(holder, [resume]);
      else queue.push(resume);
    },
    /** Of the holders that `may`. */
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

/** The place of one work among those that run or wait. */
export interface Place {
  /** Begins the work now, or once another has left and it is the holder's turn. */
  enter(begin: () => void): void;
  /** Lets the next one begin. A work that has not begun then never will. */
  leave(): void;
}

/**
 * Lets up to `count` works run at a time, and up to `ofHolder` of each named holder, so that others find a place while
 * all of one's wait for something slow. The rest wait, and begin with the holders in rotation.
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
        // What the work still does in this callback, such as freeing its connection, comes first.
        if (before === 'running') queueMicrotask(() => giveBack(holder));
      },
    };
  };
}

/**
 * Runs up to `count` works at a time, and up to `ofHolder` of each holder. The others wait, and begin with the holders in rotation; one whose signal aborts
 * before it has begun never begins, and rejects with the signal's reason.
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

/** Of the process, since the event loop is. */
const waitingForLoop = createRotation();
let isGiving = false;

/**
 * Resolves when the caller may occupy the event loop for some milliseconds, with work that takes too long to be done as
 * it comes. Turns are given one at a time, to the holders (projects, addresses) in rotation. After a long turn the loop
 * is left to others for as long.
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
  // The work itself follows as microtasks, before any other callback.
  setImmediate(() => {
    const took = performance.now() - began;
    if (took < SHORT_MS) setImmediate(giveTurn);
    else setTimeout(giveTurn, Math.min(took, MAX_REST_MS));
  });
}

const waitingBriefly = createRotation();
/** When the works of this pass of the loop began; undefined while there are none. */
let passBegan: number | undefined;

/**
 * As `turnOfLoop`, for works of about a millisecond each: as many as take `PASS_MS` together are done in one pass of the
 * loop. Returns undefined when the caller may go on at once, as nearly always.
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
  // The work follows as microtasks, and a tick that one of them asks for comes after them all.
  queueMicrotask(() => process.nextTick(giveBriefTurns));
}
