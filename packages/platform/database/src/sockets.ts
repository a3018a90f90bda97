import { Socket } from 'node:net';

/** The argument of the `socket` option of postgres.js. */
interface Address {
  path: string | false | undefined;
  host: string[];
  port: number[];
}

/** The sockets of a pool, so that those of an unresponsive server can be closed. */
export interface Sockets {
  open(address: Address): Socket;
  /** Records which sockets received data. (With TLS, a listener would not notice.) */
  look(): void;
  /** Destroys every socket that received nothing for `forMs`, including idle ones. */
  destroySilent(forMs: number): void;
}

export function createSockets(): Sockets {
  const seen = new Map<Socket, { bytes: number; at: number }>();
  let opened = 0;

  function look(): void {
    const now = performance.now();
    for (const [socket, last] of seen) {
      if (socket.destroyed) seen.delete(socket);
      else if (socket.bytesRead !== last.bytes) seen.set(socket, { bytes: socket.bytesRead, at: now });
    }
  }

  return {
    open({ path, host, port }) {
      const index = opened++ % host.length;
      const socket = new Socket();
      if (path) socket.connect(path);
      // postgres.js reads the TLS server name from this property.
      else
        Object.assign(socket, { host: host[index] }).connect({
          host: host[index] ?? '',
          port: port[index] ?? 5432,
        });
      seen.set(socket, { bytes: 0, at: performance.now() });
      return socket;
    },
    look,
    destroySilent(forMs) {
      look();
      const before = performance.now() - forMs;
      for (const [socket, last] of seen) if (last.at <= before) socket.destroy();
    },
  };
}
