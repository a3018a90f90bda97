import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReplayManifest } from '@switchboard/contracts';
import { directoryMigrations, directoryRecord, directoryTopic, outgoingRecord } from '@switchboard/directory';
import type { EventLog } from '@switchboard/event-log';
import { type ObjectStore, openObjectStore } from '@switchboard/object-store';
import { listen, serviceContext, startService } from '@switchboard/service-kit';
import { accessTokens, eventually, type S3Access, testDatabase } from '@switchboard/testkit';
import { expect } from 'vitest';
import { archiveMigrations } from '../schema/migrations.ts';
import { archiveService } from '../service.ts';
import { type LogSettings, openLog } from './log.ts';
import { eventRecords, replayRecords, type SentEvent } from './records.ts';

/** For tests: the service on a real port, as its operators use it, with a log that the test publishes to. */

export const PROJECT = 'project-1';
/** A project of another region. */
export const US_PROJECT = 'project-2';
export const PARTITIONS = 4;

export interface ArchiveHarness {
  url: string;
  log: EventLog;
  objects: ObjectStore;
  /** Settings with which another instance on the same backings starts. */
  env: Record<string, string>;
  /** Publishes a chunk as ingestion does. */
  send(chunk: object): Promise<void>;
  /** Publishes events as ingestion does. */
  sendEvents(...events: SentEvent[]): Promise<void>;
  manage(method: string, path: string, token?: string): Promise<Response>;
  /** The path of a session below the project. */
  path(session: string, rest?: string): string;
  events(session: string): Promise<unknown>;
  /** Waits until the manifest of a session has these properties. */
  until(session: string, expected: Partial<ReplayManifest>): Promise<ReplayManifest>;
  mint(claims: { sub: string; permissions?: string[] }): Promise<string>;
  stop(): Promise<void>;
}

interface Options {
  log: LogSettings;
  /** A folder of its own when not given. */
  s3?: S3Access;
  overrides?: Record<string, string>;
}

export async function startArchive(options: Options): Promise<ArchiveHarness> {
  const { s3, overrides = {} } = options;
  const tokens = await accessTokens();
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-archive-'));
  const objects = openObjectStore(s3 ?? { folder });
  const database = await testDatabase({ migrations: [directoryMigrations, archiveMigrations] });
  const log = openLog(options.log);
  await createTopics(log);
  await writeDirectory(log);
  const env = {
    REGION: 'eu',
    HOST: '127.0.0.1',
    PORT: '0',
    LOG_LEVEL: 'silent',
    CONSOLE_URL: 'https://console.example.com',
    AUTH_ISSUER: tokens.issuer,
    AUTH_AUDIENCE: tokens.audience,
    AUTH_JWKS_URL: tokens.jwksUrl,
    DATABASE_URL: database.url,
    ROLES: 'http,replays',
    ...options.log,
    ...(s3 === undefined ? { OBJECTS_FOLDER: folder } : s3Settings(s3)),
    ...overrides,
  };
  const instance = await startInstance(env);
  const operator = await tokens.mint({ sub: 'operator', permissions: ['service.manage'] });

  const manage = (method: string, path: string, token = operator) =>
    fetch(`${instance.url}/management/v1/projects/${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}` },
    });
  const path = (session: string, rest = '') => `${PROJECT}/replays/${encodeURIComponent(session)}${rest}`;

  async function manifest(session: string): Promise<ReplayManifest> {
    const answer = await manage('GET', path(session));
    expect(answer.status).toBe(200);
    return (await answer.json()) as ReplayManifest;
  }

  return {
    url: instance.url,
    log,
    objects,
    env,
    manage,
    path,
    async send(chunk) {
      await log.publish('replays', replayRecords(PROJECT, chunk, PARTITIONS));
    },
    async sendEvents(...events) {
      const arrival = { projectId: PROJECT, receivedAt: new Date(), partitions: PARTITIONS };
      await log.publish('events', eventRecords(events, arrival));
    },
    async events(session) {
      const answer = await manage('GET', path(session, '/events'));
      expect(answer.status).toBe(200);
      return answer.json();
    },
    until: (session, expected) =>
      eventually(
        async () => {
          const found = await manifest(session);
          expect(found).toMatchObject(expected);
          return found;
        },
        { withinMs: 30_000 },
      ),
    mint: (claims) => tokens.mint(claims),
    async stop() {
      await instance.stop();
      await tokens.stop();
      await log.close();
      objects.close();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** One process of the service. */
export async function startInstance(env: Record<string, string>) {
  const context = serviceContext(archiveService, env);
  const service = archiveService.create(context);
  const server = await listen({ fetch: service.app.hono.fetch, host: '127.0.0.1', port: 0 });
  await startService(service, context);
  return {
    url: `http://127.0.0.1:${server.port}`,
    async stop() {
      await server.close(1000);
      await service.stop();
    },
  };
}

export const createTopics = (log: EventLog) =>
  log.createTopics(
    ['events', 'replays'].map((name) => ({
      name,
      partitions: PARTITIONS,
      replication: 1,
      cleanup: 'delete' as const,
    })),
  );

async function writeDirectory(log: EventLog): Promise<void> {
  await log.createTopics([{ name: directoryTopic, partitions: 1, replication: 1, cleanup: 'compact' }]);
  // On Kafka the topic outlives the test.
  let revision = BigInt(Date.now()) * 1_000n;
  for (const [id, region] of [
    [PROJECT, 'eu'],
    [US_PROJECT, 'us'],
  ] as const) {
    const project = { id, companyId: 'company-1', name: id, region, defaultLanguage: 'en' };
    await log.publish(directoryTopic, [outgoingRecord(directoryRecord('project', project), ++revision, 1)]);
  }
}

function s3Settings({ endpoint, accessKey, secretKey, bucket, region }: S3Access) {
  return {
    S3_ENDPOINT: endpoint,
    S3_ACCESS_KEY: accessKey,
    S3_SECRET_KEY: secretKey,
    S3_BUCKET: bucket,
    S3_REGION: region,
  };
}
