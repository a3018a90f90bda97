import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Smaller responses are not counted, since the kernel buffers them for a client that does not read. */
const MIN_COUNTED_BYTES = 65_536;
/** The maximum size of all written responses that clients have not read. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;
/** How long a client may take to read the rest of a written response. */
const READ_WITHIN_MS = 60_000;

/**
 * Bounds the memory of responses that clients do not read. Above the bound, the connections that have waited longest
 * are closed, since a client that reads finishes soon.
 */
export function boundUnread(server: Server, maxBytes = MAX_UNREAD_BYTES): void {
  const unread = new Map<Socket, number>();
  let total = 0;

  function forget(socket: Socket): void {
    total -= unread.get(socket) ?? 0;
    unread.delete(socket);
  }

  // One function for all responses: a closure for each would be a large part of the cost of a small request.
  function count(this: ServerResponse): void {
    const { socket } = this;
    if (socket === null || socket.writableLength < MIN_COUNTED_BYTES) return;
    forget(socket);
    unread.set(socket, socket.writableLength);
    total += socket.writableLength;
    const late = setTimeout(() => socket.destroy(), READ_WITHIN_MS).unref();
    this.once('close', () => {
      clearTimeout(late);
      forget(socket);
    });
    for (const oldest of unread.keys()) {
      if (total <= maxBytes) break;
      forget(oldest);
      oldest.destroy();
    }
  }

  server.prependListener('request', (_, response: ServerResponse) => response.on('prefinish', count));
}
