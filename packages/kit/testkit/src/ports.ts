import { createServer, type Server } from 'node:net';

/**
 * The first port for programs that a test starts. These ports are below those that systems use for outgoing
 * connections and for servers that listen on port 0 (from 32768 on Linux), because such a port may be taken
 * before the program listens.
 */
const FIRST = 10_000;
const LAST = 32_000;

let next = FIRST + Math.floor(Math.random() * (LAST - FIRST));

/** Returns a TCP port of 127.0.0.1 that is currently free and that this function has not returned before. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = next;
    next = port < LAST ? port + 1 : FIRST;
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) =>
      server.on('error', reject).listen(port, '127.0.0.1', resolve),
    );
  } catch {
    return false;
  }
  await new Promise((resolve) => server.close(resolve));
  return true;
}

/** Makes a server listen on a free port of 127.0.0.1, and returns the port. */
export async function listenOnFreePort(server: Server): Promise<number> {
  await new Promise<void>((resolve, reject) => server.on('error', reject).listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP server has no port');
  return address.port;
}
