import type { Server, ServerResponse } from 'node:http';
import { createBuckets } from '@switchboard/fairness';

/** The rate of all connections together. */
const BYTES_PER_SECOND = 8 * 1024 * 1024;
const MAX_BYTES = 64 * 1024 * 1024;
/** The time in which a client may send the rest of its body and read the response. */
const CLOSE_AFTER_MS = 500;

/**
 * Bounds how much of a body is read after its response was written. Some clients read a response only after they have
 * sent their whole body, so the rest is read and dropped. A rest that is large or exceeds the rate is not read, since
 * that would take time from other requests; its connection is closed after a moment.
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
      // At this point Node begins to read the rest of a body that was not read at all.
      setImmediate(() => {
        isPaused = !req.complete;
        if (isPaused) socket.pause();
      });
    }
    setTimeout(() => {
      if (!req.complete) socket.destroySoon();
      // The body was complete with the bytes read before the pause, so the connection can take the next request.
      else if (isPaused) socket.resume();
    }, CLOSE_AFTER_MS).unref();
  }

  server.prependListener('request', (_, response: ServerResponse) => response.on('finish', leaveRest));
}
