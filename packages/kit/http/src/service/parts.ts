/** A part of a service, such as a connection or a consumer. */
export interface Part {
  /** Starts the part. Called again if it throws, since a dependency may be unavailable. */
  start?(): Promise<void> | void;
  /** Ends work that would keep the server open when it closes, such as event streams. */
  drain?(): void;
  /** Finishes accepted work and closes connections. Also called if the part has not started. */
  stop?(): Promise<void> | void;
}

export interface Parts {
  /**
   * Adds a part and returns it. Parts start in the order in which they are added, and stop in reverse. The second
   * argument starts and stops a part that has no `start`, `drain` or `stop` of its own.
   */
  add<P extends Part>(part: P): P;
  add<P>(part: P, lifeCycle: Part): P;
  /** Adds background work. It starts after all parts, and stops before them, all of it at once. */
  run(...work: Part[]): void;
}

/** The parts of a service, started and stopped together. */
export interface LifeCycle extends Parts {
  /** Starts all parts in order. After a failure, another call continues with the part that failed. */
  start(): Promise<void>;
  drain(): void;
  /** Stops every part, even if some fail to stop. Further calls return the same promise. */
  stop(): Promise<void>;
}

export function createLifeCycle(): LifeCycle {
  const parts: Part[] = [];
  const work: Part[] = [];
  let started = 0;
  let stopping: Promise<void> | undefined;

  async function stopAll(): Promise<void> {
    const failures: unknown[] = [];
    async function stop(part: Part): Promise<void> {
      try {
        await part.stop?.();
      } catch (error) {
        failures.push(error);
      }
    }
    await Promise.all(work.map(stop));
    for (const part of parts.toReversed()) await stop(part);
    if (failures.length > 0) throw failures.length === 1 ? failures[0] : new AggregateError(failures);
  }

  return {
    add<P>(part: P & Part, lifeCycle: Part = part): P {
      parts.push(lifeCycle);
      return part;
    },
    run(...more) {
      work.push(...more);
    },
    async start() {
      for (const part of [...parts, ...work].slice(started)) {
        if (stopping !== undefined) return;
        await part.start?.();
        started += 1;
      }
    },
    drain() {
      for (const part of [...parts, ...work]) part.drain?.();
    },
    stop() {
      stopping ??= stopAll();
      return stopping;
    },
  };
}

/** Creates background work that runs once, and is aborted when the service stops. */
export function runOnce(
  work: (signal: AbortSignal) => Promise<void>,
): Required<Pick<Part, 'start' | 'stop'>> {
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  return {
    start() {
      running ??= work(stopping.signal);
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
