import { Unavailable } from '@switchboard/http';
import { createThreads, ThreadEnded } from '@switchboard/runtime/threads';
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

const failed = () => new Unavailable('The page took too long. Retry after the time in Retry-After.', 5);

/** Creates a renderer. Its thread starts with the first page, and again after a page that ended the thread. */
export function createRenderer(): Renderer {
  const threads = createThreads<ThreadCalls>({
    module: new URL('./page-thread.ts', import.meta.url),
    name: 'pages',
    longestMs: LONGEST_MS,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  });

  async function inTurn<T>(projectId: string, work: (thread: ThreadCalls) => Promise<T>): Promise<T> {
    const signal = AbortSignal.timeout(LONGEST_MS);
    try {
      return await threads.use(work, signal, projectId);
    } catch (error) {
      throw signal.aborted || error instanceof ThreadEnded ? failed() : error;
    }
  }

  return {
    render: (asked, projectId) => inTurn(projectId, (thread) => thread.render(asked)),
    draw: (asked, projectId) => inTurn(projectId, (thread) => thread.draw(asked)),
    stop: threads.stop,
  };
}
