import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const LOOK_MS = 10_000;
/** Of the time. */
const BUSY = 0.1;

/**
 * Collects garbage once whenever the event loop comes to rest. V8 does so when more memory is asked for: what the last
 * requests of a peak left would stay until the next. Ends with the process.
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
