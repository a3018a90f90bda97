type Resume = () => void;

/** A turn that is shorter is followed by the next one as soon as other callbacks have run. */
const SHORT_MS = 5;
const MAX_REST_MS = 50;

/** Those who wait for a turn, by holder. Of the process, since the event loop is. */
const waiting = new Map<string, Resume[]>();
let isGiving = false;

/**
 * Resolves when the caller may occupy the event loop for some milliseconds, with work that takes too long to be done as
 * it comes. Turns are given one at a time, to the holders (projects, addresses) in rotation. After a long turn the loop
 * is left to others for as long.
 */
export function turnOfLoop(holder: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const queue = waiting.get(holder);
  if (queue === undefined) waiting.set(holder, [resolve]);
  else queue.push(resolve);
  if (!isGiving) {
    isGiving = true;
    setImmediate(giveTurn);
  }
  return promise;
}

function giveTurn(): void {
  const [first] = waiting;
  if (first === undefined) {
    isGiving = false;
    return;
  }
  const [holder, queue] = first;
  waiting.delete(holder);
  const resume = queue.shift();
  if (queue.length > 0) waiting.set(holder, queue);
  const began = performance.now();
  resume?.();
  // The work itself follows as microtasks, before any other callback.
  setImmediate(() => {
    const took = performance.now() - began;
    if (took < SHORT_MS) setImmediate(giveTurn);
    else setTimeout(giveTurn, Math.min(took, MAX_REST_MS));
  });
}
