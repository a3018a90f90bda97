import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ServiceName } from '@switchboard/contracts';
import { accessTokens, eventually, freePort, startKafka, startRedis } from '@switchboard/testkit';
import { type Instance, startInstance } from '../harness/instances.ts';

export type RestoreEnvironment = Awaited<ReturnType<typeof openRestoreEnvironment>>;

export const SERVICES: ServiceName[] = [
  'catalogue',
  'collaboration',
  'messenger',
  'flags',
  'ingestion',
  'archive',
  'analytics',
  'identity',
  'delivery',
];

const SETTINGS_OF: Partial<Record<ServiceName, Record<string, string>>> = {
  identity: { AUTH_ISSUER: 'https://id.example.com/identity' },
};

const DOCUMENT = new URL('../../docs/backup-and-upgrade.md', import.meta.url);
const run = promisify(execFile);

/**
 * Opens an environment with every service as a process, stores to drop, and the commands of docs/backup-and-upgrade.md.
 * `postgresUrl` connects to an empty server as a superuser.
 */
export async function openRestoreEnvironment(postgresUrl: string) {
  const { hostname, port, username, password } = new URL(postgresUrl);
  const host = `${hostname}:${port || 5432}`;
  const postgres = { PGHOST: hostname, PGPORT: port || '5432', PGUSER: username, PGPASSWORD: password };
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-restore-'));
  const objects = join(folder, 'objects');
  const env = { PATH: process.env['PATH'], ...postgres };
  const [redis, tokens] = await Promise.all([startRedis(), accessTokens()]);
  let kafka = await startKafka();
  if (kafka === undefined || redis === undefined)
    throw new Error('Kafka and Redis are needed: deploy/backings/install.sh kafka redis');
  const commands = await documentedCommands();
  const ports = new Map<ServiceName, number>();
  for (const service of SERVICES) ports.set(service, await freePort());
  const url = (service: ServiceName) => `http://127.0.0.1:${ports.get(service)}`;
  const running = new Map<ServiceName, Instance>();
  const brokers = () => kafka?.brokers.join(',') ?? '';

  const settings = () => ({
    LOG_LEVEL: 'info',
    REGION: 'eu',
    AUTH_ISSUER: tokens.issuer,
    AUTH_AUDIENCE: tokens.audience,
    AUTH_JWKS_URL: tokens.jwksUrl,
    OUTGOING_PRIVATE_NETWORKS: '127.0.0.0/8',
    CONSOLE_URL: 'https://console.example.com',
    PUBLIC_API_URL: 'https://api.example.com',
    PUBLIC_LINK_BASE_URL: 'https://api.example.com/shared',
    KAFKA_BROKERS: brokers(),
    REDIS_URL: redis.url,
    OBJECTS_FOLDER: objects,
    QUERY_FOLDER: join(folder, 'analytics'),
    MAIL_DIR: join(folder, 'mails'),
    IDENTITY_SECRET: 'an identity secret for this test only',
    LINK_SECRET: 'a link secret that is for this test only',
    WEBHOOK_SECRET: 'a webhook secret that is for this test only',
    ACCOUNT_SECRET: 'an account secret that is for this test only',
    ARCHIVE_FILE_SECONDS: '1',
  });

  async function sql(database: string, statement: string): Promise<string> {
    return (await run('psql', ['-AtX', '-d', database, '-c', statement], { env })).stdout.trim();
  }

  return {
    tokens,
    objects,
    url,
    sql,
    serving: (service: ServiceName) => [running.get(service)].filter((instance) => instance !== undefined),

    /** Runs a command of the document by name, with its variables. */
    async runCommand(name: string, variables: Record<string, string> = {}) {
      const script = commands.get(name);
      if (script === undefined) throw new Error(`docs/backup-and-upgrade.md has no command ${name}`);
      const shell = { cwd: folder, env: { ...env, KAFKA: brokers(), ...variables } };
      await run('bash', ['--norc', '-euc', script], shell);
    },

    async createDatabase(service: ServiceName) {
      await sql('postgres', `create database ${service} owner ${service}`);
      await sql('postgres', `revoke all on database ${service} from public`);
    },

    async start(...services: ServiceName[]) {
      await Promise.all(
        services.map(async (service) => {
          const address = `postgres://${service}:${service}@${host}/${service}`;
          const port = ports.get(service) ?? 0;
          running.set(
            service,
            await startInstance({
              service,
              port,
              env: { ...settings(), ...SETTINGS_OF[service], DATABASE_URL: address },
            }),
          );
        }),
      );
    },

    async stop(...services: ServiceName[]) {
      for (const service of services) {
        const code = await running.get(service)?.stop();
        if (code !== 0) throw new Error(`${service} ended with ${code}`);
      }
    },

    /** Replaces Kafka with an empty one. */
    async loseKafka() {
      await kafka?.stop();
      kafka = await startKafka();
    },

    async call(at: string, token: string, { method = 'GET', body, headers = {} }: CallOptions = {}) {
      const answer = await fetch(at, {
        method,
        headers: { Authorization: `Bearer ${token}`, ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      // biome-ignore lint/suspicious/noExplicitAny: tests read fields of any response
      return { status: answer.status, body: (text.startsWith('{') ? JSON.parse(text) : text) as any };
    },

    /** Waits until a value equals the expected one. */
    async eventuallyIs(what: string, actual: () => Promise<unknown>, expectedValue: unknown) {
      const expected = JSON.stringify(expectedValue);
      await eventually(
        async () => {
          const found = JSON.stringify(await actual());
          if (found !== expected) throw new Error(`${what}: ${found}, not ${expected}`);
        },
        { withinMs: 90_000 },
      );
    },

    async close() {
      await Promise.all([...running.values()].map((instance) => instance.stop()));
      await Promise.all([kafka?.stop(), redis.kill(), tokens.stop()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export interface CallOptions {
  method?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

/** Returns the document's shell blocks, by the name in the comment above each. */
async function documentedCommands(): Promise<Map<string, string>> {
  const text = await readFile(DOCUMENT, 'utf8');
  const blocks = text.matchAll(/<!-- command: ([a-z-]+) -->\n+ *```sh\n(.+?)```/gs);
  return new Map([...blocks].map(([, name = '', script = '']) => [name, script]));
}
