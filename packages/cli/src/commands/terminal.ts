import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

/** The terminal that a command runs in. */
export interface Terminal {
  env: Record<string, string | undefined>;
  /** Whether standard error is a terminal. */
  isInteractive: boolean;
  /** Writes to standard output. */
  out(text: string): void;
  /** Writes to standard error. */
  err(text: string): void;
  /** Reads a file, standard input (`-`) or an http(s) address. Throws UsageError. */
  read(place: string): Promise<string>;
  /** Asks for a secret without showing it, or reads it from standard input where that is no terminal. */
  secret(question: string): Promise<string>;
}

/** The command line or the environment is invalid. */
export class UsageError extends Error {
  override name = 'UsageError';
}

const FETCH_TIMEOUT_MS = 60_000;

export function processTerminal(): Terminal {
  return {
    env: process.env,
    isInteractive: process.stderr.isTTY === true,
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    read: (place) => (/^https?:\/\//.test(place) ? fetchText(place) : readText(place)),
    secret: (question) => (process.stdin.isTTY ? askHidden(question) : readText('-')),
  };
}

/** What is typed is written nowhere. */
async function askHidden(question: string): Promise<string> {
  process.stderr.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const asking = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  asking.once('SIGINT', () => process.exit(130));
  try {
    return await asking.question('');
  } finally {
    asking.close();
    process.stderr.write('\n');
  }
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path === '-' ? '/dev/stdin' : path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error;
    throw new UsageError(`${path} cannot be read (${code})`);
  }
}

async function fetchText(url: string): Promise<string> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) });
    if (response.ok) return await response.text();
    throw new UsageError(`${url} answers ${response.status}`);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : error;
    throw new UsageError(`${url} cannot be read (${cause})`);
  }
}
