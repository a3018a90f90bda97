import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

/** Returns the name of an input for messages. */
export const nameOf = (place: string): string => (place === '-' ? 'standard input' : place);

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
  /** Prompts for a secret without showing it, or reads it from standard input if that is not a terminal. */
  secret(question: string): Promise<string>;
}

/** The arguments, the environment or a file are invalid. */
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

/** Prompts for a text without echoing it. */
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
    return decode(await readFile(path === '-' ? '/dev/stdin' : path), path);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const code = error instanceof Error && 'code' in error ? error.code : error;
    throw new UsageError(`${path} cannot be read (${code})`);
  }
}

async function fetchText(url: string): Promise<string> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) });
    if (response.ok) return decode(Buffer.from(await response.arrayBuffer()), url);
    throw new UsageError(`${url} answers ${response.status}`);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : error;
    throw new UsageError(`${url} cannot be read (${cause})`);
  }
}

const NEWLINE = 0x0a;
const BYTE_ORDER_MARKS = [
  ['UTF-32', [0xff, 0xfe, 0, 0]],
  ['UTF-32', [0, 0, 0xfe, 0xff]],
  ['UTF-16', [0xff, 0xfe]],
  ['UTF-16', [0xfe, 0xff]],
] as const;

/** Decodes a UTF-8 file and removes its byte order mark. Throws UsageError for another encoding. */
function decode(bytes: Buffer, place: string): string {
  const name = nameOf(place);
  const marked = BYTE_ORDER_MARKS.find(([, mark]) => mark.every((byte, index) => bytes[index] === byte));
  if (marked !== undefined) throw new UsageError(`${name}: ${marked[0]}; save it as UTF-8`);
  const line = isUtf8(bytes) ? undefined : lineOf(bytes, (part) => !isUtf8(part));
  if (line !== undefined) throw new UsageError(`${name}:${line}: not UTF-8; save the file as UTF-8`);
  const lineWithNul = bytes.includes(0) ? lineOf(bytes, (part) => part.includes(0)) : undefined;
  if (lineWithNul === undefined) return new TextDecoder().decode(bytes);
  throw new UsageError(`${name}:${lineWithNul}: contains a NUL character; save the file as UTF-8`);
}

/** Returns the number of the first line that passes a test, or undefined. */
function lineOf(bytes: Buffer, isFound: (line: Buffer) => boolean): number | undefined {
  let line = 1;
  for (let start = 0; start <= bytes.length; line++) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline === -1 ? bytes.length : newline;
    if (isFound(bytes.subarray(start, end))) return line;
    start = end + 1;
  }
  return undefined;
}
