import type { Worker } from 'node:cluster';

/** The message that node:cluster sends with a connection, and the worker's acknowledgement. */
interface ClusterMessage {
  act?: unknown;
  seq?: unknown;
  ack?: unknown;
}

/**
 * Closes connections that were sent to a worker but not taken before it ended. node:cluster keeps them open for an
 * acknowledgement that never arrives, and their clients would wait forever instead of retrying.
 */
export function closeUntaken({ process: child }: Worker): void {
  const untaken = new Map<unknown, unknown>();
  const send = child.send;
  child.send = (message: ClusterMessage, ...rest: unknown[]): boolean => {
    if (message.act === 'newconn') untaken.set(message.seq, rest[0]);
    return Reflect.apply(send, child, [message, ...rest]);
  };
  child.on('internalMessage', ({ ack }: ClusterMessage) => untaken.delete(ack));
  child.once('exit', () => {
    for (const handle of untaken.values()) close(handle);
  });
}

function close(handle: unknown): void {
  if (
    typeof handle === 'object' &&
    handle !== null &&
    'close' in handle &&
    typeof handle.close === 'function'
  )
    handle.close();
}
