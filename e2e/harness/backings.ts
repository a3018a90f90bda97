import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVICE_NAMES } from '@switchboard/contracts';
import {
  hasPgBouncer,
  type KafkaServer,
  type PgBouncer,
  type PostgresServer,
  postgresServer,
  type RedisServer,
  type S3Server,
  startKafka,
  startPgBouncer,
  startRedis,
  startS3,
} from '@switchboard/testkit';
import connect from 'postgres';

/** The backings of one region. */
export interface Backings {
  kafka: KafkaServer;
  redis: RedisServer;
  s3: S3Server;
  postgres: PostgresServer;
  /** A folder for mails. */
  folder: string;
  stop(): Promise<void>;
}

/** Starts real servers for one test. Undefined if one is not installed. With REQUIRE_BACKINGS=1, that is an error. */
export async function startBackings(): Promise<Backings | undefined> {
  const [kafka, redis, s3] = await Promise.all([startKafka(), startRedis(), startS3()]);
  const stopThese = () => Promise.all([kafka?.stop(), redis?.kill(), s3?.stop()]);
  if (kafka === undefined || redis === undefined || s3 === undefined) {
    await stopThese();
    return undefined;
  }
  const postgres = await postgresServer([...SERVICE_NAMES, 'event_log']);
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-e2e-'));
  return {
    kafka,
    redis,
    s3,
    postgres,
    folder,
    async stop() {
      await stopThese();
      await postgres.remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Starts PgBouncer in transaction mode in front of the databases of all services, with the timeouts that they need.
 * Returns undefined if it is not installed. With REQUIRE_BACKINGS=1, that is an error.
 */
export async function startPooler({ postgres }: Backings): Promise<PgBouncer | undefined> {
  if (!hasPgBouncer()) return undefined;
  for (const service of SERVICE_NAMES) {
    const url = postgres.url(service);
    const name = new URL(url).pathname.slice(1);
    const sql = connect(url, { max: 1 });
    await sql.unsafe(`
      alter database "${name}" set statement_timeout = '5s';
      alter database "${name}" set idle_in_transaction_session_timeout = '30s'`);
    await sql.end();
  }
  return await startPgBouncer({ url: postgres.url('catalogue'), mode: 'transaction' });
}
