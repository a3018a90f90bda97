import type { Server, ServerResponse } from 'node:http';
import { createBuckets } from '@switchboard/resilience';

/** Of all connections together. */
const BYTES_PER_SECOND = 8 * 1024 * 1024;
const MAX_BYTES = 64 * 1024 * 1024;
/** Within which a client may send the rest of its body, and read the response. */
const CLOSE_AFTER_MS = 500;

/**
 * Bounds what is read of bodies whose response is written. Some clients read a response only once they have sent their
 * whole body, so the rest is read and dropped, unless it is large or there is much of it: reading what was refused
 * would take the time of other requests. Then the connection is closed after a moment.
 */
export function boundLeftovers(server: Server, bytesPerSecond = BYTES_PER_SECOND): void {
  const dropped = createBuckets(bytesPerSecond);

  // One function for all responses, as in boundUnread.
  function leaveRest(this: ServerResponse): void {
    const { req } = this;
    if (req.complete) return;
    const { socket } = req;
    let isPaused = false;
    const rest = Number(req.headers['content-length'] ?? Number.POSITIVE_INFINITY);
    if (rest <= MAX_BYTES && dropped.wait('') === 0) {
      dropped.take('', rest);
      req.resume();
    } else {
      // Node has just begun to read the rest of a body that was not read at all.
      setImmediate(() => {
        isPaused = !req.complete;
        if (isPaused) socket.pause();
      });
    }
    setTimeout(() => {
      if (!req.complete) socket.destroySoon();
      // The body ended with bytes that were read before the pause: the connection takes the next request.
      else if (isPaused) socket.resume();
    }, CLOSE_AFTER_MS).unref();
  }

  server.prependListener('request', (_, response: ServerResponse) => response.on('finish', leaveRest));
}
