import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@switchboard/embedded-postgres';
import { freePort } from '../ports.ts';

/** A PostgreSQL server for one test, which can stop, freeze and kill it. */
export interface PostgresServer {
  url(database: string): string;
  /** Shuts down and keeps the data. */
  stop(): Promise<void>;
  /** Starts again on the same port. */
  start(): Promise<void>;
  /** Sends SIGSTOP to all of its processes (Linux). */
  freeze(): Promise<void>;
  /** Sends SIGCONT to all of its processes. */
  thaw(): Promise<void>;
  /** Sends SIGKILL to the postmaster. The server restarts automatically. */
  kill(): Promise<void>;
  /** Stops it and removes the data. */
  remove(): Promise<void>;
}

/**
 * Starts a server with these databases. With `durable` it syncs commits, so that a kill loses none of them. Tests
 * that do not need this are faster without it.
 */
export async function postgresServer(
  databases: string[] = ['test'],
  { durable = false }: { durable?: boolean } = {},
): Promise<PostgresServer> {
  const directory = await mkdtemp(join(tmpdir(), 'switchboard-tests-'));
  const port = await freePort();
  const open = () => startPostgres({ directory, port, databases, durable });
  let server = await open();

  async function signal(name: NodeJS.Signals, which: (pids: number[]) => number[]): Promise<void> {
    const file = await readFile(join(directory, 'data', 'postmaster.pid'), 'utf8');
    const postmaster = Number(file.split('\n')[0]);
    for (const pid of which([postmaster, ...(await childrenOf(postmaster))])) signalTo(pid, name);
  }

  let isFrozen = false;
  async function thaw(): Promise<void> {
    await signal('SIGCONT', (pids) => pids);
    isFrozen = false;
  }

  /** Also stops a server that a failed test left frozen. */
  async function stop(): Promise<void> {
    if (isFrozen) await thaw();
    await server.stop();
  }

  return {
    url: (database) => server.url(database),
    stop,
    async start() {
      server = await open();
    },
    async freeze() {
      isFrozen = true;
      // Stops the postmaster first, so that it cannot start other processes.
      await signal('SIGSTOP', (pids) => pids.slice(0, 1));
      await signal('SIGSTOP', (pids) => pids);
    },
    thaw,
    kill: () => signal('SIGKILL', (pids) => pids.slice(0, 1)),
    async remove() {
      await stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** A connection may have ended since its process was listed. */
function signalTo(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

async function childrenOf(parent: number): Promise<number[]> {
  const children: number[] = [];
  for (const pid of (await readdir('/proc')).map(Number).filter((number) => number > 0)) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    const [, ppid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (Number(ppid) === parent) children.push(pid);
  }
  return children;
}
