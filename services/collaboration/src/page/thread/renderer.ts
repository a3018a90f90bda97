import { Worker } from 'node:worker_threads';
import { createFairQueue } from '@switchboard/fairness';
import { Unavailable } from '@switchboard/http';
import { createBirpc } from 'birpc';
import type { Asked, AskedCharts, ChartPicture, ThreadCalls } from './calls.ts';

/** Renders pages and pictures on a separate thread, because a large page takes hundreds of milliseconds. */
export interface Renderer {
  /**
   * Returns HTML. Renders one page at a time; projects take turns. Throws Unavailable if rendering takes too long.
   */
  render(asked: Asked, projectId: string): Promise<string>;
  /** Draws the charts of a report. Empty for a report without charts. Takes its turn and throws like `render`. */
  draw(asked: AskedCharts, projectId: string): Promise<ChartPicture[]>;
  stop(): Promise<void>;
}

/** The longest time for rendering, including waiting in the queue and starting the thread. */
const LONGEST_MS = 20_000;
const MAX_HEAP_MB = 256;
const NO_TIMEOUT = -1;

interface Thread {
  calls: ThreadCalls;
  end(): Promise<unknown>;
}

const failed = () => new Unavailable('The page took too long. Retry after the time in Retry-After.', 5);

/** Creates a renderer. Its thread starts with the first page, and again after a page that ended the thread. */
export function createRenderer(): Renderer {
  const queued = createFairQueue(1);
  let running: Thread | undefined;

  function start(): Thread {
    const worker = new Worker(new URL('./page-thread.ts', import.meta.url), {
      name: 'pages',
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    });
    const calls = createBirpc<ThreadCalls>(
      {},
      {
        post: (message) => worker.postMessage(message),
        on: (receive) => worker.on('message', receive),
        timeout: NO_TIMEOUT,
      },
    );
    const thread: Thread = {
      calls,
      end() {
        if (running === thread) running = undefined;
        calls.$close(failed());
        return worker.terminate();
      },
    };
    worker.on('error', () => void thread.end());
    worker.on('exit', () => void thread.end());
    // Lets the process exit without waiting for the thread.
    worker.unref();
    return thread;
  }

  async function runOn<T>(work: (calls: ThreadCalls) => Promise<T>, signal: AbortSignal): Promise<T> {
    running ??= start();
    const { calls, end } = running;
    signal.addEventListener('abort', end);
    try {
      return await work(calls);
    } finally {
      signal.removeEventListener('abort', end);
    }
  }

  async function inTurn<T>(projectId: string, work: (calls: ThreadCalls) => Promise<T>): Promise<T> {
    const signal = AbortSignal.timeout(LONGEST_MS);
    try {
      return await queued(projectId, () => runOn(work, signal), signal);
    } catch (error) {
      throw signal.aborted ? failed() : error;
    }
  }

  return {
    render: (asked, projectId) => inTurn(projectId, (calls) => calls.render(asked)),
    draw: (asked, projectId) => inTurn(projectId, (calls) => calls.draw(asked)),
    async stop() {
      await running?.end();
    },
  };
}
