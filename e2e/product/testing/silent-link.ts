import { connect, createServer, type Socket } from 'node:net';

export interface SilentLink {
  url: string;
  /** The number of WebSockets and event streams opened. */
  readonly opened: number;
  /** Stops forwarding on all open connections, without closing either side. */
  silence(): void;
  close(): void;
}

const LASTING = /^(?:upgrade: websocket|GET \/ofrep\/v1\/changes)/im;

/**
 * Creates an address that forwards TCP connections to a server, and can drop their data silently as a network can.
 */
export async function silentLink(upstream: string): Promise<SilentLink> {
  const { hostname, port } = new URL(upstream);
  const pairs = new Set<[Socket, Socket]>();
  const lasting = new Set<[Socket, Socket]>();
  let opened = 0;
  const server = createServer((client) => {
    const target = connect({ host: hostname, port: Number(port) });
    const pair: [Socket, Socket] = [client, target];
    pairs.add(pair);
    client.on('data', (bytes) => {
      if (lasting.has(pair) || !LASTING.test(bytes.toString('latin1'))) return;
      lasting.add(pair);
      opened += 1;
    });
    client.pipe(target).pipe(client);
    for (const [socket, other] of [pair, pair.toReversed()])
      socket?.on('error', () => other?.destroy()).on('close', () => other?.destroy());
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${Object(server.address()).port}`,
    get opened() {
      return opened;
    },
    silence() {
      for (const [client, target] of lasting) {
        client.unpipe(target).resume();
        target.unpipe(client).resume();
      }
      lasting.clear();
    },
    close() {
      for (const pair of pairs) for (const socket of pair) socket.destroy();
      server.close();
    },
  };
}
