import { checkPooling, type Database, type Migrations, migrate, openDatabase } from '@switchboard/database';
import { type CommonConfig, measureCalls, type ServiceContext } from '@switchboard/runtime';
import { currentFairnessKey } from '../overload/fairness-key.ts';

type Addresses = Pick<CommonConfig, 'DATABASE_URL' | 'DIRECT_DATABASE_URL' | 'MIGRATIONS_DATABASE_URL'>;

/** Opens a service's database. Callers take turns. */
export function openServiceDatabase(
  context: Pick<ServiceContext<CommonConfig>, 'config' | 'instance' | 'metrics' | 'tracing'>,
  url: string = context.config.DATABASE_URL,
): Database {
  const { config, instance: applicationName, metrics, tracing } = context;
  return openDatabase({
    url,
    directUrl: config.DIRECT_DATABASE_URL,
    poolSize: config.DATABASE_POOL_SIZE,
    applicationName,
    fairnessKey: currentFairnessKey,
    measure: measureCalls({ metrics, tracing, dependency: 'database', system: 'postgresql' }),
  });
}

/** Returns the address for uses that need a session or their own time-outs. */
export function directUrl({ DATABASE_URL, DIRECT_DATABASE_URL = DATABASE_URL }: Addresses): string {
  return DIRECT_DATABASE_URL;
}

/** Applies pending migrations in this order. Throws UnsuitableDatabase if there is a pooler where none is allowed. */
export async function migrateDatabase(config: Addresses, all: readonly Migrations[]): Promise<void> {
  const { DATABASE_URL, MIGRATIONS_DATABASE_URL: ownerUrl = directUrl(config) } = config;
  await checkPooling({
    url: DATABASE_URL,
    directUrl: config.DIRECT_DATABASE_URL,
    ownerUrl: config.MIGRATIONS_DATABASE_URL,
  });
  for (const migrations of all) await migrate(DATABASE_URL, migrations, ownerUrl);
}
