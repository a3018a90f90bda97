import cluster from 'node:cluster';
import { createBirpc } from 'birpc';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { Whole } from '../context.ts';
import type { Health } from '../health.ts';
import {
  type Assignment,
  SUPERVISOR_ANSWERS_WITHIN_MS,
  type SupervisorCalls,
  type WorkerCalls,
} from './protocol.ts';

export interface Membership {
  assignment: Assignment;
  whole: Whole;
  /** Answers the supervisor's requests from now on. */
  answerFor(worker: { health: Health; metrics: Metrics }): void;
  started(): Promise<void>;
}

/** Makes this process a worker of its supervisor. Returns undefined if it has none. */
export async function joinSupervisor(): Promise<Membership | undefined> {
  if (!cluster.isWorker) return undefined;
  let self: { health: Health; metrics: Metrics } | undefined;
  const calls: WorkerCalls = {
    beat: () => undefined,
    problems: async () => self?.health.problems() ?? { service: 'starting' },
    metrics: async () => self?.metrics.registry.getMetricsAsJSON() ?? [],
  };
  const supervisor = createBirpc<SupervisorCalls, WorkerCalls>(calls, {
    // A failed send is ignored, since a worker without a supervisor ends by itself.
    post: (message) => process.send?.(message, () => undefined),
    on: (receive) => process.on('message', receive),
    timeout: SUPERVISOR_ANSWERS_WITHIN_MS,
  });
  return {
    assignment: await supervisor.begin(),
    whole: {
      isServing: () => supervisor.isServing(),
      problems: () => supervisor.problems(),
      metrics: () => supervisor.metrics(),
    },
    answerFor(worker) {
      self = worker;
    },
    started: () => supervisor.started(),
  };
}
