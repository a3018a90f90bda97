import type { MessengerSettings } from '@switchboard/contracts';
import type { Db, Transactor, Tx } from '@switchboard/database';
import { eq, sql } from 'drizzle-orm';
import { configurations } from '../schema/index.ts';

/** The NOTIFY channel of changed configurations. The payload is the project's id. */
export const CONFIGURATION_CHANNEL = 'messenger_configuration';

export interface ConfigurationStore {
  find(projectId: string): Promise<MessengerSettings | undefined>;
  /** Writes the configuration and notifies CONFIGURATION_CHANNEL on commit. */
  put(projectId: string, settings: MessengerSettings, within: Transactor): Promise<void>;
}

export function createConfigurationStore(db: Db | Tx): ConfigurationStore {
  return {
    async find(projectId) {
      const [row] = await db
        .select({ settings: configurations.settings })
        .from(configurations)
        .where(eq(configurations.projectId, projectId));
      return row?.settings;
    },

    async put(projectId, settings, within) {
      await within.transaction(async (tx) => {
        await tx
          .insert(configurations)
          .values({ projectId, settings })
          .onConflictDoUpdate({ target: configurations.projectId, set: { settings } });
        await tx.execute(sql`select pg_notify(${CONFIGURATION_CHANNEL}, ${projectId})`);
      });
    },
  };
}
