import cluster from 'node:cluster';
import { createBirpc } from 'birpc';
import { closeUntaken } from './hand-over.ts';
import { type SupervisorCalls, WORKER_ANSWERS_WITHIN_MS, type WorkerCalls } from './protocol.ts';

/** The exit of a process. */
export interface Ending {
  code: number | null;
  signal: string | null;
}

export interface WorkerProcess {
  pid: number | undefined;
  /** Each call rejects if the process does not answer in time or has ended. */
  calls: { [Name in keyof WorkerCalls]: () => Promise<Awaited<ReturnType<WorkerCalls[Name]>>> };
  kill(signal: NodeJS.Signals): void;
  ended: Promise<Ending>;
}

/** Runs this program again as a worker. All workers share its port. */
export function forkWorker(
  supervisor: SupervisorCalls,
  env: Record<string, string>,
  flags: readonly string[],
): WorkerProcess {
  cluster.setupPrimary({ execArgv: [...process.execArgv, ...flags], serialization: 'advanced' });
  const worker = cluster.fork(env);
  closeUntaken(worker);
  const calls = createBirpc<WorkerCalls, SupervisorCalls>(supervisor, {
    // Sending to a worker that has just ended fails. `ended` follows.
    post: (message) => worker.send(message, () => undefined),
    on: (receive) => worker.on('message', receive),
    timeout: WORKER_ANSWERS_WITHIN_MS,
  });
  const ended = new Promise<Ending>((resolve) => {
    const end = (code: number | null, signal: string | null) => {
      calls.$close();
      resolve({ code, signal });
    };
    worker.once('exit', end);
    // A process that fails to start emits no exit event.
    worker.on('error', () => worker.process.pid === undefined && end(null, null));
  });
  return {
    pid: worker.process.pid,
    calls: { beat: () => calls.beat(), problems: () => calls.problems(), metrics: () => calls.metrics() },
    kill: (signal) => void worker.process.kill(signal),
    ended,
  };
}
