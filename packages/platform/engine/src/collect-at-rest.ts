import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const LOOK_MS = 10_000;
/** The event loop utilization above which a process is busy. */
const BUSY = 0.1;

/**
 * Collects garbage once whenever the event loop comes to rest. V8 collects when more memory is requested, so the
 * garbage of a peak would stay until the next one. Ends with the process.
 */
export function collectAtRest(lookMs = LOOK_MS): void {
  setFlagsFromString('--expose-gc');
  const collect: NodeJS.GCFunction = runInNewContext('gc');
  let before = performance.eventLoopUtilization();
  let wasBusy = false;
  setInterval(() => {
    const now = performance.eventLoopUtilization();
    const isBusy = performance.eventLoopUtilization(now, before).utilization > BUSY;
    before = now;
    if (wasBusy && !isBusy) void collect({ type: 'major', execution: 'async' });
    wasBusy = isBusy;
  }, lookMs).unref();
}
