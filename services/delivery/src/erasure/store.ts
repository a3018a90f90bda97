import type { Db } from '@switchboard/database';
import { eq, sql } from 'drizzle-orm';
import { messages, webhooks } from '../schema/index.ts';

export interface ErasureStore {
  /** Removes the messages of a project that name one of the ids. */
  removeNaming(projectId: string, ids: readonly string[]): Promise<void>;
  /** Removes the messages of every project that name the id. */
  removeNamingEverywhere(id: string): Promise<void>;
  removeOfProject(projectId: string): Promise<void>;
}

export function createErasureStore(db: Db): ErasureStore {
  /** An id ends a text of the body: alone, or after the kind of an object. */
  const names = (ids: readonly string[]) => {
    const endings = ids.flatMap((id) => {
      const text = JSON.stringify(id).slice(1);
      return [`"${text}`, `:${text}`, `/${text}`];
    });
    return sql`exists (
      select 1 from unnest(${sql.param(endings)}::text[]) as ending where position(ending in ${messages.body}) > 0)`;
  };

  return {
    async removeNaming(projectId, ids) {
      await db.delete(messages).where(sql`${messages.projectId} = ${projectId} and ${names(ids)}`);
    },
    async removeNamingEverywhere(id) {
      await db.delete(messages).where(names([id]));
    },
    async removeOfProject(projectId) {
      await db.delete(webhooks).where(eq(webhooks.projectId, projectId));
    },
  };
}
