import type { MetricsSnapshot } from '../../telemetry/metrics.ts';
import type { Problems } from '../health.ts';

/** What the workers and their supervisor call of each other. */

/** What a worker is told when it begins. */
export interface Assignment {
  number: number;
  count: number;
  /** Whether it is to listen before it has started: no other worker does. */
  listensAtOnce: boolean;
}

/** The answers are about all workers together. */
export interface SupervisorCalls {
  begin(): Assignment;
  /** The worker has started and accepts connections. */
  started(): void;
  isServing(): boolean;
  problems(): Promise<Problems>;
  metrics(): Promise<string>;
}

export interface WorkerCalls {
  /** Answers as long as the worker's event loop turns. */
  beat(): void;
  problems(): Promise<Problems>;
  metrics(): Promise<MetricsSnapshot>;
}

/** Enough for the checks of dependencies, which take up to a second. */
export const WORKER_ANSWERS_WITHIN_MS = 3_000;
/** Long, since a worker cannot go on without: one whose supervisor is gone ends by itself. */
export const SUPERVISOR_ANSWERS_WITHIN_MS = 60_000;
