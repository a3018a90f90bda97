import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  type AccessTokens,
  accessTokens,
  eventually,
  type TestDatabase,
  testDatabase,
} from '@switchboard/testkit';
import { REPOSITORY } from '../harness/repository.ts';

export type ServiceName = 'catalogue' | 'collaboration' | 'messenger' | 'flags' | 'ingestion' | 'archive';

/** A line of a service's log. */
export type Line = Record<string, unknown> & { msg: string };

export interface RunningService {
  url: string;
  lines: Line[];
  /** Resolves when it serves. */
  ready(): Promise<void>;
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
}

export interface Deployment {
  tokens: AccessTokens;
  logUrl: string;
  /** A process of its own that listens. */
  start(name: ServiceName, env?: Record<string, string>): Promise<RunningService>;
  /** PUT or POST to the management API of a service; throws what it refuses. */
  manage(service: RunningService, method: string, path: string, body: unknown): Promise<Response>;
  close(): Promise<void>;
}

/** Many tests may share the machine. */
const STARTING_MS = 60_000;

/** Services as real processes on real PostgreSQL, each with a database of its own. */
export async function startDeployment(log: Record<string, string> = {}): Promise<Deployment> {
  const tokens = await accessTokens();
  const logDatabase = await testDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'observability-'));
  const databases: TestDatabase[] = [logDatabase];
  const running: ChildProcess[] = [];
  const operator = await tokens.mint({ sub: 'operator', permissions: ['service.manage'] });
  const eventLog = Object.keys(log).length > 0 ? log : { EVENT_LOG_DATABASE_URL: logDatabase.url };
  const common = {
    REGION: 'eu',
    HOST: '127.0.0.1',
    PORT: '0',
    LOG_LEVEL: 'debug',
    CONSOLE_URL: 'https://console.example',
    PUBLIC_API_URL: 'https://api.example',
    AUTH_ISSUER: tokens.issuer,
    AUTH_AUDIENCE: tokens.audience,
    AUTH_JWKS_URL: tokens.jwksUrl,
    PUBLIC_LINK_BASE_URL: 'https://links.example',
    LINK_SECRET: 'x'.repeat(32),
    IDENTITY_SECRET: 'x'.repeat(32),
    MAIL_DIR: join(folder, 'mail'),
    OBJECTS_FOLDER: join(folder, 'objects'),
  };

  async function start(name: ServiceName, env: Record<string, string> = {}): Promise<RunningService> {
    const database = await testDatabase();
    databases.push(database);
    const child = spawn(process.execPath, [join(REPOSITORY, 'services', name, 'src/main.ts')], {
      env: { PATH: process.env['PATH'], ...common, ...eventLog, DATABASE_URL: database.url, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    running.push(child);
    const lines: Line[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(JSON.parse(line)));
    const exited = once(child, 'exit');
    const url = await eventually(
      async () => {
        const port = lines.find(({ msg }) => msg === 'listening')?.['port'];
        if (port === undefined) throw new Error(`${name} does not listen: ${JSON.stringify(lines)}`);
        return `http://127.0.0.1:${port}`;
      },
      { withinMs: STARTING_MS },
    );
    return {
      url,
      lines,
      async ready() {
        const check = async () => {
          const response = await fetch(`${url}/health/ready`);
          if (!response.ok) throw new Error(`${name} is not ready: ${await response.text()}`);
        };
        await eventually(check, { withinMs: STARTING_MS });
      },
      async stop() {
        child.kill('SIGTERM');
        const [code] = await exited;
        return code;
      },
    };
  }

  return {
    tokens,
    logUrl: logDatabase.url,
    start,
    async manage(service, method, path, body) {
      const response = await fetch(`${service.url}/management/v1${path}`, {
        method,
        body: JSON.stringify(body),
        headers: { Authorization: `Bearer ${operator}` },
      });
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
      return response;
    },
    async close() {
      for (const child of running) {
        if (child.exitCode !== null || child.signalCode !== null) continue;
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
      await tokens.stop();
      for (const database of databases) await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
