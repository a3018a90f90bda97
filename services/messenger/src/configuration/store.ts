import type { MessengerSettings } from '@switchboard/contracts';
import { eq, sql } from 'drizzle-orm';
import type { Db } from '../db.ts';
import { configurations } from '../schema/index.ts';

/** Announces the id of a project whose configuration has changed. */
export const configurationChannel = 'messenger_configuration';

export type ConfigurationStore = ReturnType<typeof createConfigurationStore>;

export function createConfigurationStore(db: Db) {
  return {
    async find(projectId: string): Promise<MessengerSettings | undefined> {
      const [row] = await db
        .select({ settings: configurations.settings })
        .from(configurations)
        .where(eq(configurations.projectId, projectId));
      return row?.settings;
    },

    /** Tells every instance once it is written. */
    async put(projectId: string, settings: MessengerSettings): Promise<void> {
      await db.transaction(async (tx) => {
        await tx
          .insert(configurations)
          .values({ projectId, settings })
          .onConflictDoUpdate({ target: configurations.projectId, set: { settings } });
        await tx.execute(sql`select pg_notify(${configurationChannel}, ${projectId})`);
      });
    },
  };
}
