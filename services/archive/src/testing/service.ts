import { ingestionTopics, type ReplayManifest } from '@switchboard/contracts';
import { openDatabase } from '@switchboard/database';
import { createDirectoryPublisher } from '@switchboard/directory/testing';
import type { EventLog } from '@switchboard/event-log';
import { type ObjectStore, openObjectStore } from '@switchboard/object-store';
import { createPersonPublisher } from '@switchboard/person-ids/testing';
import {
  type Env,
  eventually,
  openHarness,
  type Program,
  type RunningInstance,
  type S3Access,
  type SpawnServiceOptions,
  s3Env,
} from '@switchboard/testkit';
import { expect } from 'vitest';
import { archiveService } from '../service.ts';
import { openLog } from './log.ts';
import { eventRecords, replayRecords, type SentEvent } from './records.ts';

/** For tests: the service on a real port, as operators run it, with a log that the test publishes to. */

export const PROJECT = 'project-1';
/** A project in another region. */
const US_PROJECT = 'project-2';
export const PARTITIONS = 4;

export interface ArchiveHarness {
  url: string;
  log: EventLog;
  objects: ObjectStore;
  /** The folder of objects without S3. */
  objectsFolder: string;
  databaseUrl: string;
  /** Starts another instance on the same backings. It ends with the harness at the latest. */
  start(env: Env): Promise<RunningInstance>;
  /** Starts another instance as a separate process. */
  spawn(options: Partial<SpawnServiceOptions>): Promise<Program>;
  /** Publishes a chunk as ingestion does. */
  send(chunk: object): Promise<void>;
  /** Joins ids to a person of the project as flags does, and waits until the service has applied it. */
  join(personId: string, ...distinctIds: string[]): Promise<void>;
  /** Publishes events as ingestion does. */
  sendEvents(...events: SentEvent[]): Promise<void>;
  manage(method: string, path: string, token?: string): Promise<Response>;
  /** Returns the path of a session below the project. */
  path(session: string, rest?: string): string;
  events(session: string): Promise<unknown>;
  /** Waits until the manifest of a session has these properties. */
  until(session: string, expected: Partial<ReplayManifest>): Promise<ReplayManifest>;
  mint(claims: { sub: string; permissions?: string[] }): Promise<string>;
  stop(): Promise<void>;
}

interface Options {
  /** Default: a new PostgreSQL database. */
  kafkaBrokers?: readonly string[];
  /** Default: a folder. */
  s3?: S3Access;
  /** Default: a new database. */
  databaseUrl?: string;
  roles?: string;
  /** Further settings. */
  env?: Env;
}

export async function startArchive(options: Options = {}): Promise<ArchiveHarness> {
  const { kafkaBrokers, s3, roles = 'http,replays' } = options;
  const own = await openHarness({
    services: { archive: archiveService },
    env: { ROLES: roles, ...(s3 && s3Env(s3)), ...options.env },
    ...(kafkaBrokers && { log: { kafka: kafkaBrokers } }),
    ...(options.databaseUrl && { databases: { archive: options.databaseUrl } }),
  });
  const objectsFolder = own.env['OBJECTS_FOLDER'] ?? '';
  const objects = openObjectStore(s3 ?? { folder: objectsFolder });
  own.defer(async () => objects.close());
  const log = openLog(own.logEnv);
  own.defer(() => log.close());
  await createTopics(log);
  const directory = await createDirectoryPublisher(log);
  await directory.putProject({ id: PROJECT });
  await directory.putProject({ id: US_PROJECT, region: 'us' });
  const database = openDatabase({ url: await own.databaseUrl('archive'), applicationName: 'test' });
  own.defer(() => database.close());
  const people = await createPersonPublisher(log, database);
  const { url } = await own.start('archive');
  const operator = await own.mint({ sub: 'operator', permissions: ['service.manage'] });

  const manage = (method: string, path: string, token = operator) =>
    fetch(`${url}/management/v1/projects/${path}`, {
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
    url,
    log,
    objects,
    objectsFolder,
    databaseUrl: await own.databaseUrl('archive'),
    start: (env) => own.start('archive', env),
    spawn: (options) => own.spawn('archive', options),
    manage,
    path,
    async send(chunk) {
      await log.publish('replays', replayRecords(PROJECT, chunk, PARTITIONS));
    },
    join: (personId, ...distinctIds) => people.join({ id: PROJECT }, personId, ...distinctIds),
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
    mint: own.mint,
    stop: own.stop,
  };
}

/** Creates the topics as ingestion does. */
export const createTopics = (log: EventLog) =>
  log.createTopics(
    Object.values(ingestionTopics).map((name) => ({
      name,
      partitions: PARTITIONS,
      replication: 1,
      cleanup: 'delete' as const,
    })),
  );
