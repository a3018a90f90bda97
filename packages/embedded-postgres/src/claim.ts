import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { platform } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { EmbeddedPostgresError } from './errors.ts';

/**
 * Makes this process the only one that runs PostgreSQL in the folder, by a file that names it. A file left by a
 * process that is gone is taken over.
 */
export async function claimFolder(directory: string): Promise<{ release(): Promise<void> }> {
  const file = join(directory, 'supervisor');
  const mine = join(directory, `supervisor.${randomUUID()}`);
  const identity = `${process.pid} ${await startOf(process.pid)}`;
  await writeFile(mine, identity);
  try {
    for (let attempt = 0; attempt < 20; attempt++) {
      const linked = await link(mine, file).then(() => true, isExisting);
      if (linked) return { release: () => rm(file, { force: true }) };
      const holder = await readFile(file, 'utf8').catch(() => '');
      if (await isAlive(holder)) throw inUse(directory, holder);
      await discard(file, holder);
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

function inUse(directory: string, holder: string): EmbeddedPostgresError {
  const [pid] = holder.split(' ');
  return new EmbeddedPostgresError(
    `Another instance (process ${pid}) already runs PostgreSQL in ${directory}.`,
  );
}

/** Removes the file of a dead holder, but not one that another process put there meanwhile. */
async function discard(file: string, holder: string): Promise<void> {
  const aside = `${file}.${randomUUID()}`;
  await rename(file, aside).catch(() => undefined);
  const moved = await readFile(aside, 'utf8').catch(() => holder);
  if (moved !== holder) await link(aside, file).catch(() => undefined);
  await rm(aside, { force: true });
}

async function isAlive(holder: string): Promise<boolean> {
  const [pid, ...start] = holder.split(' ');
  const now = await startOf(Number(pid));
  return now !== '' && now === start.join(' ');
}

/** When the process started, which tells it from a later one of the same number; empty: there is none. */
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

/** Stops a PostgreSQL that still runs on the data although the process that started it is gone. */
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
    throw new EmbeddedPostgresError(`PostgreSQL (process ${pid}) of ${data} does not end. Stop it first.`);
}

async function postmasterOf(data: string): Promise<number | undefined> {
  const file = await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number(file.split('\n')[0]);
  return pid > 0 ? pid : undefined;
}
