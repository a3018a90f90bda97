type Resume = () => void;

/** A turn that is shorter is followed by the next one as soon as other callbacks have run. */
const SHORT_MS = 5;
const MAX_REST_MS = 50;

/** Those who wait, in the order of their calls for each holder (a project, an address); `next` takes the holders in rotation. */
function createRotation() {
  const waiting = new Map<string, Resume[]>();
  return {
    add(holder: string, resume: Resume): void {
      const queue = waiting.get(holder);
      if (queue === undefined) waiting.set(holder, [resume]);
      else queue.push(resume);
    },
    next(): Resume | undefined {
      const [first] = waiting;
      if (first === undefined) return undefined;
      const [holder, queue] = first;
      waiting.delete(holder);
      const resume = queue.shift();
      if (queue.length > 0) waiting.set(holder, queue);
      return resume;
    },
  };
}

/** Runs up to `count` works at a time. The others wait, and begin with the holders in rotation. */
export function createSlots(count: number): <T>(holder: string, work: () => Promise<T>) => Promise<T> {
  const waiting = createRotation();
  let free = count;
  return async (holder, work) => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.add(holder, resolve));
    try {
      return await work();
    } finally {
      const next = waiting.next();
      if (next === undefined) free++;
      else next();
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
