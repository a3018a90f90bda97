import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { directoryRecord, directoryTopic, outgoingRecord } from '@switchboard/directory';
import type { EventLog } from '@switchboard/event-log';
import type { ObjectStore } from '@switchboard/object-store';
import { type AccessTokens, accessTokens, eventually, type KafkaServer } from '@switchboard/testkit';
import { type LogKind, startDatabases, startLog, startObjects } from './backings.ts';
import { type Part, type ServiceProcess, startServiceProcess } from './service-process.ts';
import { keyOf, PROJECTS } from './traffic.ts';

export interface SettingOptions {
  log: LogKind;
  /** A broker to use; without it one is started. It is stopped with the setting. */
  kafka?: KafkaServer;
  objects: 's3' | 'folder';
  /** Instances of each consumer; two of them also hand partitions over to each other. */
  consumers: number;
}

export interface Setting {
  log: EventLog;
  objects: ObjectStore;
  /** Everything that is killed. */
  parts: Part[];
  /** Instances of ingestion that take requests. */
  ingestion: ServiceProcess[];
  /** An instance of archive that answers requests. */
  archive: ServiceProcess;
  /** An instance of flags that answers requests. */
  flags: ServiceProcess;
  databaseUrl(name: 'archive' | 'flags'): string;
  managementToken(): Promise<string>;
  /** What the processes wrote. */
  folder: string;
  stop(options: { keepLogs: boolean }): Promise<void>;
}

const PARTITIONS = 4;

/** Files are closed early, so that a round sees many. */
const archiveEnv = { ARCHIVE_FILE_SECONDS: '1', ARCHIVE_FILE_BYTES: '200000' };

/** Every process and backing of the proof, ready for traffic. */
export async function setUp(options: SettingOptions): Promise<Setting> {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-crash-'));
  const logs = join(folder, 'logs');
  await mkdir(logs);
  const stops: (() => Promise<void>)[] = [];
  try {
    const tokens = await accessTokens();
    stops.push(() => tokens.stop());
    const database = await startDatabases('services’ PostgreSQL', ['ingestion', 'archive', 'flags']);
    stops.push(database.part.stop);
    const backing = await startLog(options.log, options.kafka);
    stops.push(backing.part.stop);
    const objects = await startObjects(options.objects, folder);
    if (objects.part) stops.push(objects.part.stop);
    await fillDirectory(backing.log);

    const common = { ...serviceEnv(tokens), ...backing.env, LOG_LEVEL: 'info' };
    const start = async (
      kind: string,
      service: 'ingestion' | 'archive' | 'flags',
      count: number,
      env: object,
    ) =>
      Promise.all(
        Array.from({ length: count }, (_, index) =>
          startServiceProcess({
            kind,
            name: `${kind} ${index + 1}`,
            service,
            folder: logs,
            env: { ...common, DATABASE_URL: database.url(service), ...env },
          }),
        ),
      );
    const archiving = { ...objects.env, ...archiveEnv };
    const ingestion = await start('ingestion', 'ingestion', 2, {});
    const services = [
      ...ingestion,
      ...(await start('event archive', 'archive', options.consumers, { ROLES: 'events', ...archiving })),
      ...(await start('replay archive', 'archive', 1, { ROLES: 'replays', ...archiving })),
      ...(await start('user state', 'flags', options.consumers, { ROLES: 'user-state' })),
    ];
    const [flags] = await start('flags', 'flags', 1, { ROLES: 'http' });
    const [archive] = await start('archive', 'archive', 1, { ROLES: 'http', ...archiving });
    if (flags === undefined || archive === undefined) throw new Error('flags or archive was not started');
    const processes = [...services, flags, archive];
    stops.push(async () => void (await Promise.all(processes.map((process) => process.stop()))));
    const parts = [...services, backing.part, database.part, ...(objects.part ? [objects.part] : [])];
    await untilReady([...processes, ...parts]);
    return {
      log: backing.log,
      objects: objects.objects,
      parts,
      ingestion,
      archive,
      flags,
      databaseUrl: database.url,
      managementToken: () => tokens.mint({ sub: 'crash', permissions: ['service.manage'] }),
      folder: logs,
      async stop({ keepLogs }) {
        await stopAll(stops);
        if (!keepLogs) await rm(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await stopAll(stops);
    throw new Error(`The setting could not be made; what its processes wrote is in ${logs}`, {
      cause: error,
    });
  }
}

/** Resolves when everything takes work. */
export async function untilReady(parts: readonly Part[]): Promise<void> {
  await Promise.all(parts.map((part) => eventually(() => part.check(), { withinMs: 90_000 })));
}

async function stopAll(stops: (() => Promise<void>)[]): Promise<void> {
  for (const stop of stops.toReversed()) await stop();
}

function serviceEnv(tokens: AccessTokens): Record<string, string> {
  return {
    HOST: '127.0.0.1',
    REGION: 'eu',
    AUTH_ISSUER: tokens.issuer,
    AUTH_AUDIENCE: tokens.audience,
    AUTH_JWKS_URL: tokens.jwksUrl,
    CONSOLE_URL: 'http://127.0.0.1:9',
    PUBLIC_API_URL: 'http://127.0.0.1:9',
    TOPIC_PARTITIONS: String(PARTITIONS),
  };
}

async function fillDirectory(log: EventLog): Promise<void> {
  await log.createTopics([
    { name: directoryTopic, partitions: PARTITIONS, replication: 1, cleanup: 'compact' },
  ]);
  const records = PROJECTS.flatMap((id) => [
    directoryRecord('project', { id, companyId: 'crash', name: id, region: 'eu', defaultLanguage: 'en' }),
    directoryRecord('key', { key: keyOf(id), projectId: id }),
  ]);
  await log.publish(
    directoryTopic,
    records.map((record) => outgoingRecord(record, 1n, PARTITIONS)),
  );
}
