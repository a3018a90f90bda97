import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { eventually, freePort } from '@switchboard/testkit';
import { REPOSITORY } from '../harness/repository.ts';
import { START } from './programs.ts';
import { hasShape } from './shown-answer.ts';
import type { Statement } from './statements.ts';

/** Runs pages of the docs in a fresh copy of the checkout while Switchboard runs. Each page has its own shell. */
export interface Reader {
  /** Runs the statements in one shell and returns the problems. */
  read(statements: readonly Statement[]): Promise<string[]>;
  close(): Promise<void>;
}

/** Long enough for the first start, which installs dependencies. */
const STARTING_MS = 240_000;
const PAGE_MS = 120_000;

export async function openReader(): Promise<Reader> {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-reader-'));
  const checkout = join(folder, 'switchboard');
  await copyCheckout(checkout);
  // Makes curl fail on error responses and print the status.
  await writeFile(
    join(folder, '.curlrc'),
    'fail-with-body\nwrite-out = "%{stderr}\\nHTTP %{http_code}\\n"\n',
  );
  const env: Record<string, string> = { ...readersEnvironment(), CURL_HOME: folder };
  const port = await freePorts(5);
  // A reader waits up to five seconds for the file of an event.
  const standalone = await start(checkout, { ...env, PORT: String(port), ARCHIVE_FILE_SECONDS: '1' });
  env['PATH'] = `${await quickNpx(folder, env)}${delimiter}${env['PATH']}`;

  async function read(statements: readonly Statement[]): Promise<string[]> {
    const scratch = await mkdtemp(join(folder, 'page-'));
    const place = (index: number, name: string) => join(scratch, `${index}.${name}`);
    const lines = ['set -u -o pipefail'];
    for (const [index, { text }] of statements.entries()) {
      await writeFile(place(index, 'sh'), `${withPorts(text, port)}\n`);
      lines.push(`. ${place(index, 'sh')} >${place(index, 'out')} 2>${place(index, 'err')} </dev/null`);
      lines.push(`echo $? >${place(index, 'code')}`);
    }
    await promisify(execFile)('bash', ['--norc', '-c', lines.join('\n')], {
      cwd: checkout,
      env,
      timeout: PAGE_MS,
    }).catch(() => undefined);
    const written = (index: number, name: string) => readFile(place(index, name), 'utf8').catch(() => '');
    const problems = await Promise.all(
      statements.map(async (statement, index) => {
        const [code, out, err] = await Promise.all(
          ['code', 'out', 'err'].map((name) => written(index, name)),
        );
        const problem = problemOf(statement, code?.trim() ?? '', out ?? '', err ?? '');
        return problem === undefined
          ? []
          : [`${statement.page}:${statement.line}: ${statement.text}\n${problem}`];
      }),
    );
    return problems.flat();
  }

  return {
    read,
    async close() {
      await stop(standalone);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Replaces only the ports of standalone in a command. */
export function withPorts(text: string, port: number): string {
  return text.replaceAll(/\b(127\.0\.0\.1|localhost):400([0-4])\b/g, (_, host: string, offset: string) => {
    return `${host}:${port + Number(offset)}`;
  });
}

function problemOf({ shown }: Statement, code: string, out: string, err: string): string | undefined {
  if (code === '') return `the shell ended: ${err}`;
  const status = Number(/HTTP (\d+)\s*$/.exec(err)?.[1]);
  if (shown === undefined) return code === '0' ? undefined : `exit code ${code}: ${out}${err}`;
  if (status !== shown.status) return `answered ${status}, not ${shown.status}: ${out}${err}`;
  return hasShape(shown.body, out) ? undefined : `answered ${out}, not as shown: ${shown.body}`;
}

/** Copies the files that git lists. */
async function copyCheckout(target: string): Promise<void> {
  const { stdout } = await promisify(execFile)(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    { cwd: REPOSITORY, maxBuffer: 64_000_000 },
  );
  for (const path of stdout.split('\0')) {
    if (path === '' || !existsSync(join(REPOSITORY, path))) continue;
    await mkdir(dirname(join(target, path)), { recursive: true });
    await copyFile(join(REPOSITORY, path), join(target, path));
  }
}

/** Returns the environment of a fresh shell, without variables of the package manager or test run. */
function readersEnvironment(): Record<string, string> {
  const kept = /^(HOME|LANG|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|https?_proxy|no_proxy|npm_config_registry)$/i;
  const inherited = Object.entries(process.env).flatMap(([name, value]) =>
    kept.test(name) && value !== undefined ? [[name, value]] : [],
  );
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((one) => !one.includes('node_modules'));
  return {
    ...Object.fromEntries(inherited),
    PATH: path.join(delimiter),
    npm_config_prefer_offline: 'true',
    // Prevents npx from asking before it installs pnpm.
    npm_config_yes: 'true',
  };
}

/**
 * Creates a folder with an `npx` that runs pnpm without looking for it in npm's cache. That takes half a second of CPU
 * time for each command. Starting Switchboard has run the real one.
 */
async function quickNpx(folder: string, env: Record<string, string>): Promise<string> {
  const inShell = async (command: string) => {
    const { stdout } = await promisify(execFile)('sh', ['-c', command], { cwd: folder, env });
    return stdout.trim();
  };
  const npx = await inShell('command -v npx');
  const pnpm = await inShell("npx --package pnpm@12 --call 'command -v pnpm'");
  const bin = join(folder, 'bin');
  await mkdir(bin);
  const script = `#!/bin/sh\n[ "$1" = pnpm@12 ] || exec ${npx} "$@"\nshift\nPATH=${dirname(pnpm)}:$PATH exec ${pnpm} "$@"\n`;
  await writeFile(join(bin, 'npx'), script, { mode: 0o755 });
  return bin;
}

async function start(checkout: string, env: Record<string, string>): Promise<ChildProcess> {
  const child = spawn('sh', ['-c', `exec ${START}`], {
    cwd: checkout,
    env,
    // Creates a process group, so that SIGINT reaches every process, as Ctrl-C does.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += String(chunk)));
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${START} exited with ${code}: ${output}`);
  });
  const ready = eventually(
    () => {
      if (!output.includes('Switchboard is ready')) throw new Error(`${START} is not ready: ${output}`);
    },
    { withinMs: STARTING_MS },
  );
  await Promise.race([ended, ready]);
  ended.catch(() => undefined);
  return child;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.pid === undefined) return;
  const ended = once(child, 'exit');
  process.kill(-child.pid, 'SIGINT');
  await ended;
}

/** Returns the first of `count` consecutive free ports. */
async function freePorts(count: number): Promise<number> {
  for (;;) {
    const first = await freePort();
    const rest = await Promise.all(Array.from({ length: count - 1 }, (_, i) => isFree(first + 1 + i)));
    if (rest.every(Boolean)) return first;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
