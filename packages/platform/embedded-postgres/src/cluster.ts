import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Account, command } from './account.ts';
import { EmbeddedPostgresError, explain } from './errors.ts';
import type { Programs } from './programs.ts';

/** The superuser of every cluster that this package creates. */
export const SUPERUSER = 'switchboard';
const VERSION = '18';

export interface ClusterOptions {
  directory: string;
  data: string;
  programs: Programs;
  account: Account;
  durable: boolean;
}

/**
 * Creates the cluster unless it exists. Returns the superuser's password, which is stored next to it with mode 0600.
 */
export async function ensureCluster(options: ClusterOptions): Promise<string> {
  const { directory, data } = options;
  const passwordFile = join(directory, 'password');
  const found = await versionOf(data);
  if (found === undefined) return await create(options, passwordFile);
  if (found !== VERSION) {
    throw new EmbeddedPostgresError(
      `${directory} holds data of PostgreSQL ${found}; this is PostgreSQL ${VERSION}. Move the folder away, or transfer its data with pg_dump of version ${found}.`,
    );
  }
  const password = (await readFile(passwordFile, 'utf8').catch(() => '')).trim();
  if (password !== '') return password;
  throw new EmbeddedPostgresError(
    `${passwordFile} is missing, and the data in ${directory} cannot be used without it. Restore it, or move the folder away.`,
  );
}

async function versionOf(data: string): Promise<string | undefined> {
  const entries = await readdir(data).catch((error: NodeJS.ErrnoException): string[] => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  if (entries.length === 0) return undefined;
  if (entries.includes('PG_VERSION')) return (await readFile(join(data, 'PG_VERSION'), 'utf8')).trim();
  throw new EmbeddedPostgresError(
    `${data} is not empty and holds no PostgreSQL data. Choose another folder.`,
  );
}

/**
 * Creates the cluster under another name first, so that an interrupted initdb does not leave a partial cluster.
 */
async function create(options: ClusterOptions, passwordFile: string): Promise<string> {
  const { directory, data, account, programs } = options;
  const fresh = `${data}.new`;
  await rm(fresh, { recursive: true, force: true });
  await mkdir(fresh, { mode: 0o700 });
  const password = randomBytes(24).toString('base64url');
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
  if (account) for (const path of [fresh, passwordFile]) await chown(path, account.uid, account.gid);
  const settings = [
    ...[`--pgdata=${fresh}`, `--username=${SUPERUSER}`, `--pwfile=${passwordFile}`, '--auth=scram-sha-256'],
    // Sorts and compares text in the same way on every machine.
    ...['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
    // A login costs 4,096 rounds of SHA-256 by default, and tests open thousands of connections.
    ...(options.durable ? [] : ['--no-sync', '--set=scram_iterations=1']),
  ];
  const { program, args, owner } = await command(account, programs.initdb, settings, [fresh]);
  const child = spawn(program, args, {
    ...owner,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: cleanEnvironment(),
  });
  const ended = new Promise<number | null>((resolve, reject) =>
    child.on('error', reject).on('close', resolve),
  );
  const [output, code] = await Promise.all([text(child.stderr), ended]);
  if (code !== 0) {
    await rm(fresh, { recursive: true, force: true });
    throw explain(output, { directory });
  }
  await rm(data, { recursive: true, force: true });
  await rename(fresh, data);
  return password;
}

/**
 * Returns the environment without variables that configure PostgreSQL (PGDATA, PGPORT, LANG). Messages are recognized
 * by their English text.
 */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(PG|LC_|LANG)/.test(name));
  return { ...Object.fromEntries(kept), LC_ALL: 'C' };
}
