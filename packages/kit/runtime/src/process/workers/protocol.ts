import type { MetricsSnapshot } from '../../telemetry/metrics.ts';
import type { Problems } from '../health.ts';

/** The calls between the workers and their supervisor. */

/** The supervisor's instructions to a worker when it begins. */
export interface Assignment {
  number: number;
  count: number;
  /** Whether the worker listens before it has started, because no other worker listens. */
  listensAtOnce: boolean;
}

/** The calls to the supervisor. Their answers cover all workers together. */
export interface SupervisorCalls {
  begin(): Assignment;
  /** Reports that the worker has started and accepts connections. */
  started(): void;
  isServing(): boolean;
  problems(): Promise<Problems>;
  metrics(): Promise<string>;
}

export interface WorkerCalls {
  /** Answers while the worker's event loop runs. */
  beat(): void;
  problems(): Promise<Problems>;
  metrics(): Promise<MetricsSnapshot>;
}

/** Long enough for the checks of dependencies, which take up to a second. */
export const WORKER_ANSWERS_WITHIN_MS = 3_000;
/** Long, since a worker cannot continue without an answer. A worker without a supervisor ends by itself. */
export const SUPERVISOR_ANSWERS_WITHIN_MS = 60_000;
