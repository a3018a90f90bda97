import { createServer } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { socketPath } from './loop-delay.ts';

/**
 * Preloaded into a measured process. The histogram records the time between two ticks of a timer of this interval.
 */
const RESOLUTION_MS = 1;

const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delay.enable();
createServer((socket) => {
  socket.end(String(Math.max(0, delay.max / 1e6 - RESOLUTION_MS)));
  delay.reset();
})
  .listen(socketPath(process.env['LOOP_DELAY_FOLDER'] ?? '', process.pid))
  .unref();
