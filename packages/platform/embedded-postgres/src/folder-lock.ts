import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { platform } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { EmbeddedPostgresError } from './errors.ts';

/**
 * Locks the folder, so that only one process runs PostgreSQL in it. The lock file contains the process id and its
 * start time. A lock of a process that has ended is taken over at once.
 *
 * proper-lockfile 4.1.2 does not cover this, because it uses only the age of the lock. With its shortest age of 2 s,
 * a start after kill -9 waits 2.7 s, and a suspended process loses its lock after 2.8 s while its server runs.
 */
export async function lockFolder(directory: string): Promise<{ release(): Promise<void> }> {
  const file = join(directory, 'supervisor');
  const mine = join(directory, `supervisor.${randomUUID()}`);
  const identity = `${process.pid} ${await startOf(process.pid)}`;
  await writeFile(mine, identity);
  try {
    for (let attempt = 0; attempt < 20; attempt++) {
      const linked = await link(mine, file).then(() => true, isExisting);
      if (linked) return { release: () => rm(file, { force: true }) };
      const owner = await readFile(file, 'utf8').catch(() => '');
      if (await isAlive(owner)) throw inUse(directory, owner);
      await discard(file, owner);
    }
    throw inUse(directory, 'unknown');
  } finally {
    await rm(mine, { force: true });
  }
}

function isExisting(error: NodeJS.ErrnoException): false {
  if (error.code === 'EEXIST') return false;
  throw error;
}

function inUse(directory: string, owner: string): EmbeddedPostgresError {
  const [pid] = owner.split(' ');
  return new EmbeddedPostgresError(
    `Another instance (process ${pid}) already runs PostgreSQL in ${directory}.`,
  );
}

/** Removes the lock of an owner that has ended, unless another process has taken the lock since. */
async function discard(file: string, owner: string): Promise<void> {
  const aside = `${file}.${randomUUID()}`;
  await rename(file, aside).catch(() => undefined);
  const moved = await readFile(aside, 'utf8').catch(() => owner);
  if (moved !== owner) await link(aside, file).catch(() => undefined);
  await rm(aside, { force: true });
}

async function isAlive(owner: string): Promise<boolean> {
  const [pid, ...start] = owner.split(' ');
  const now = await startOf(Number(pid));
  return now !== '' && now === start.join(' ');
}

/**
 * Returns the start time of a process, which distinguishes it from a later one with the same id. Empty if none
 * exists.
 */
async function startOf(pid: number): Promise<string> {
  if (!(pid > 0)) return '';
  if (platform() === 'linux') {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? '' : (fields[19] ?? '');
  }
  return listProcess(pid, 'lstart=');
}

async function listProcess(pid: number, column: string): Promise<string> {
  const listed = await promisify(execFile)('ps', ['-ww', '-o', column, '-p', String(pid)]).catch(
    () => undefined,
  );
  return listed?.stdout.trim() ?? '';
}

/** Stops a PostgreSQL that is still running after the process that started it has ended. */
export async function stopOrphan(data: string): Promise<void> {
  const pid = await postmasterOf(data);
  if (pid === undefined) return;
  const isOurs = async () =>
    platform() === 'linux'
      ? (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0').includes(data)
      : (await listProcess(pid, 'args=')).includes(data);
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    if (!(await isOurs())) return;
    process.kill(pid, signal);
    if (signal !== 'SIGKILL') process.kill(pid, 'SIGCONT');
    for (let waited = 0; waited < 5000 && (await isOurs()); waited += 50) await sleep(50);
  }
  if (await isOurs())
    throw new EmbeddedPostgresError(
      `PostgreSQL (process ${pid}) of ${data} does not stop. Stop it yourself, then start again.`,
    );
}

async function postmasterOf(data: string): Promise<number | undefined> {
  const file = await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number(file.split('\n')[0]);
  return pid > 0 ? pid : undefined;
}
