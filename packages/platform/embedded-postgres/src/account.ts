import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { EmbeddedPostgresError } from './errors.ts';

/** The account that PostgreSQL runs as. Undefined for the current account. */
export type Account = { uid: number; gid: number } | undefined;

/**
 * Chooses the account. PostgreSQL refuses to run as root. If root starts it, it runs as the owner of the data, as
 * `postgres` or as `nobody`, whichever exists first.
 */
export async function chooseAccount(data: string): Promise<Account> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await stat(data).catch(() => undefined);
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const users = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  for (const wanted of ['postgres', 'nobody']) {
    const [, , uid, gid] = users.find(([name]) => name === wanted) ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new EmbeddedPostgresError(
    'PostgreSQL refuses to run as root, and there is no account `postgres` or `nobody`. Run as another user.',
  );
}

/** A command for `spawn`. */
export interface Command {
  program: string;
  args: string[];
  owner: { uid?: number; gid?: number };
}

/**
 * Returns the command that runs a program as the account. On Linux the kernel ends it when this process ends
 * (`--pdeathsig`). If the account cannot access the folders, such as a project in root's home, it gets the capability
 * `dac_override`, which `no_setuid_fixup` keeps through access(2).
 */
export async function command(
  account: Account,
  program: string,
  args: string[],
  folders: string[],
): Promise<Command> {
  const setpriv = await hasSetpriv();
  const through = (flags: string[]) => ({
    program: 'setpriv',
    args: [...flags, program, ...args],
    owner: {},
  });
  if (!account) return setpriv ? through(['--pdeathsig=INT']) : { program, args, owner: {} };
  const reachable = (await Promise.all([program, ...folders].map(isReachable))).every(Boolean);
  if (!setpriv) {
    if (reachable) return { program, args, owner: account };
    throw new EmbeddedPostgresError(
      `PostgreSQL refuses to run as root, and another account cannot enter ${folders[0]}. Run as another user, or install util-linux (setpriv).`,
    );
  }
  const become = [`--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups', '--pdeathsig=INT'];
  const passThrough = [
    '--securebits=+no_setuid_fixup',
    '--inh-caps=+dac_override',
    '--ambient-caps=+dac_override',
  ];
  return through([...(reachable ? [] : passThrough), ...become]);
}

/** Returns whether setpriv of util-linux is installed. The one of busybox lacks these options. */
async function hasSetpriv(): Promise<boolean> {
  const version = await promisify(execFile)('setpriv', ['--version']).catch(() => undefined);
  return version?.stdout.includes('util-linux') ?? false;
}

async function isReachable(path: string): Promise<boolean> {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (((await stat(folder)).mode & 0o001) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}
