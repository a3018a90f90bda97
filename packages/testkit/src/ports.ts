import { createServer, type Server } from 'node:net';

/**
 * Ports for programs that a test starts. They lie below those that systems give to outgoing connections and to
 * servers that listen on port 0 (from 32768 on Linux): such a port may be taken again before the program listens.
 */
const FIRST = 10_000;
const LAST = 32_000;

let next = FIRST + Math.floor(Math.random() * (LAST - FIRST));

/** A TCP port of 127.0.0.1 that is free now, and that this process was not given before. */
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
