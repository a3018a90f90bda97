import { createRotation } from './rotation.ts';

/** A shorter turn is followed by the next one as soon as other callbacks have run. */
const SHORT_MS = 5;
const MAX_REST_MS = 50;
/** The time that brief turns may take in one pass of the event loop before other callbacks run. */
const PASS_MS = 4;

/** Shared by the whole process, like the event loop. */
const waitingForLoop = createRotation();
let isGiving = false;

/**
 * Resolves when the caller may occupy the event loop for some milliseconds, with work that takes too long to run
 * immediately. Turns are granted one at a time to the fairness keys in rotation. After a long turn, the loop is
 * left to other work for as long.
 */
export function yieldToLoop(key: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  waitingForLoop.add(key, resolve);
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
 * Like `yieldToLoop`, for tasks of about a millisecond. Tasks with a total of up to `PASS_MS` run in one pass of the
 * loop. Returns undefined if the caller may continue immediately, which is nearly always the case.
 */
export function yieldBriefly(key: string): Promise<void> | undefined {
  if (hasTimeInPass() && waitingBriefly.isEmpty()) return undefined;
  const { promise, resolve } = Promise.withResolvers<void>();
  waitingBriefly.add(key, resolve);
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
