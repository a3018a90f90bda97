import type { MessengerSettings } from '@switchboard/contracts';
import type { Db, Transactor, Tx } from '@switchboard/database';
import { eq, sql } from 'drizzle-orm';
import { configurations } from '../schema/index.ts';

/** The NOTIFY channel of changed configurations. The payload is the project's id. */
export const CONFIGURATION_CHANNEL = 'messenger_configuration';

export interface ConfigurationStore {
  find(projectId: string): Promise<MessengerSettings | undefined>;
  /**
   * Writes the configuration and notifies CONFIGURATION_CHANNEL on commit. `check` gets the stored one, which no other
   * write replaces before this one, and throws to keep it.
   */
  put(
    projectId: string,
    settings: MessengerSettings,
    check: (stored: MessengerSettings | undefined) => void,
    within: Transactor,
  ): Promise<void>;
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

    async put(projectId, settings, check, within) {
      await within.transaction(async (tx) => {
        const [row] = await tx
          .select({ settings: configurations.settings })
          .from(configurations)
          .where(eq(configurations.projectId, projectId))
          .for('update');
        check(row?.settings);
        await tx
          .insert(configurations)
          .values({ projectId, settings })
          .onConflictDoUpdate({ target: configurations.projectId, set: { settings } });
        await tx.execute(sql`select pg_notify(${CONFIGURATION_CHANNEL}, ${projectId})`);
      });
    },
  };
}
