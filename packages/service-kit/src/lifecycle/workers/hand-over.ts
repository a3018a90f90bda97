import type { Worker } from 'node:cluster';

/** What node:cluster sends with a connection, and what the worker answers once it has it. */
interface ClusterMessage {
  act?: unknown;
  seq?: unknown;
  ack?: unknown;
}

/**
 * Closes connections that a worker was given and had not taken when it ended. node:cluster keeps them open for an
 * answer that never comes, and their clients would wait for ever instead of trying again.
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
