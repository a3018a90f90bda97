import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { type Terminal, UsageError } from '../terminal/terminal.ts';
import { systemKeychain } from './keychain.ts';

/** A token and the only addresses that it is sent to. */
export interface Login {
  token: string;
  /** The addresses, by the environment variable that would set them. */
  addresses: Record<string, string>;
  /** The issuer of `token` if that is a refresh token of the device flow. */
  issuer?: string | undefined;
}

interface StoredLogin extends Login {
  /** Where the token is stored, for messages. */
  place: string;
}

const stored = z.object({
  addresses: z.record(z.string(), z.string()),
  /** Absent if the token is in the keychain. */
  token: z.string().optional(),
  issuer: z.string().optional(),
});

const LOCK_PAUSE_MS = 100;
const MAX_LOCK_TRIES = 300;
const NEW_LOGIN = 'log in again with switchboard login';

/** Stores the login and replaces the previous one. Returns where the token is stored. Throws UsageError. */
export function storeLogin({ token, addresses, issuer }: Login, terminal: Pick<Terminal, 'env'>): string {
  const file = fileOf(terminal);
  if (file === undefined)
    throw new UsageError('set HOME or XDG_CONFIG_HOME to say where the login is stored');
  const keychain = keychainOf(terminal);
  const isInKeychain = keychain?.store(token) ?? false;
  const content = JSON.stringify({ addresses, issuer, ...(isInKeychain ? {} : { token }) });
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // The file is renamed, so that the token is never in a file with other permissions.
  const next = `${file}.${process.pid}`;
  rmSync(next, { force: true });
  writeFileSync(next, content, { mode: 0o600, flag: 'wx' });
  chmodSync(next, 0o600);
  renameSync(next, file);
  return isInKeychain && keychain !== undefined ? keychain.name : file;
}

/**
 * Returns the login, or undefined if none exists. Throws UsageError if the file is readable by others or was not
 * written by this command.
 */
export function readLogin(terminal: Pick<Terminal, 'env'>): StoredLogin | undefined {
  const file = fileOf(terminal);
  const text = file === undefined ? undefined : readPrivate(file);
  if (file === undefined || text === undefined) return undefined;
  const { success, data } = stored.safeParse(parseJson(text));
  if (!success) throw new UsageError(`${file}: not a login; ${NEW_LOGIN}`);
  const { addresses, issuer } = data;
  if (data.token !== undefined) return { token: data.token, addresses, issuer, place: file };
  const keychain = keychainOf(terminal);
  const token = keychain?.read();
  if (keychain === undefined || token === undefined) {
    throw new UsageError(`the token is not in ${keychain?.name ?? 'a keychain'}; ${NEW_LOGIN}`);
  }
  return { token, addresses, issuer, place: keychain.name };
}

/**
 * Runs work that replaces the login, one command at a time: a refresh token that two commands use ends the login. A
 * command that was killed holds the lock for at most half a minute.
 */
export async function whileLoginLocked<T>(
  terminal: Pick<Terminal, 'env'>,
  work: () => Promise<T>,
): Promise<T> {
  const lock = `${fileOf(terminal) ?? ''}.lock`;
  for (let tries = 0; ; tries++) {
    try {
      writeFileSync(lock, '', { flag: 'wx', mode: 0o600 });
      break;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
      if (tries >= MAX_LOCK_TRIES) rmSync(lock, { force: true });
      else await sleep(LOCK_PAUSE_MS);
    }
  }
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

/** Deletes the login. Returns false if there was none. */
export function forgetLogin(terminal: Pick<Terminal, 'env'>): boolean {
  const file = fileOf(terminal);
  if (file === undefined || statSync(file, { throwIfNoEntry: false }) === undefined) return false;
  keychainOf(terminal)?.remove();
  rmSync(file, { force: true });
  return true;
}

function keychainOf({ env }: Pick<Terminal, 'env'>) {
  return env['SWITCHBOARD_KEYCHAIN'] === 'off' ? undefined : systemKeychain();
}

function fileOf({ env }: Pick<Terminal, 'env'>): string | undefined {
  const home = env['HOME'] && join(env['HOME'], '.config');
  const folder = env['XDG_CONFIG_HOME'] || home || env['APPDATA'];
  return folder ? join(folder, 'switchboard', 'login.json') : undefined;
}

function readPrivate(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  // Windows has no such modes. The settings folder is private to its user.
  if (process.platform !== 'win32' && (found.mode & 0o077) !== 0) {
    throw new UsageError(`${file}: others can read it; revoke its token, remove the file and ${NEW_LOGIN}`);
  }
  return readFileSync(file, 'utf8');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
