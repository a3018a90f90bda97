import type { DictionaryEntry } from '@switchboard/contracts';
import type { Db, Tx } from '@switchboard/database';
import { and, count, eq, type SQL, sql } from 'drizzle-orm';
import { dictionary } from '../schema/index.ts';

/** The key of an entry within its project. */
export type EntryKey = Pick<DictionaryEntry, 'kind' | 'name'>;

export interface DictionaryStore {
  /** Returns up to `limit` entries after a key, sorted by kind and name. */
  list(projectId: string, after: EntryKey | undefined, limit: number): Promise<DictionaryEntry[]>;
  find(projectId: string, key: EntryKey): Promise<DictionaryEntry | undefined>;
  /** Returns the number of entries. Concurrent transactions that count a project wait for each other. */
  count(projectId: string): Promise<number>;
  save(projectId: string, entry: DictionaryEntry): Promise<void>;
  remove(projectId: string, key: EntryKey): Promise<void>;
  removeProject(projectId: string): Promise<void>;
  removeOwner(sub: string): Promise<void>;
}

const COLUMNS = {
  kind: dictionary.kind,
  name: dictionary.name,
  description: dictionary.description,
  owner: dictionary.owner,
  hidden: dictionary.hidden,
  verified: dictionary.verified,
};
const ofProject = (projectId: string): SQL => eq(dictionary.projectId, projectId);
const isEntry = (projectId: string, { kind, name }: EntryKey) =>
  and(ofProject(projectId), eq(dictionary.kind, kind), eq(dictionary.name, name));

export function createDictionaryStore(db: Db | Tx): DictionaryStore {
  return {
    async list(projectId, after, limit) {
      const place = sql`(${dictionary.kind} collate "C", ${dictionary.name} collate "C")`;
      return db
        .select(COLUMNS)
        .from(dictionary)
        .where(and(ofProject(projectId), after && sql`${place} > (${after.kind}, ${after.name})`))
        .orderBy(sql`${dictionary.kind} collate "C"`, sql`${dictionary.name} collate "C"`)
        .limit(limit);
    },

    async find(projectId, key) {
      const [row] = await db.select(COLUMNS).from(dictionary).where(isEntry(projectId, key));
      return row;
    },

    async count(projectId) {
      await db.execute(sql`select pg_advisory_xact_lock(hashtext('dictionary'), hashtext(${projectId}))`);
      const [row] = await db.select({ rows: count() }).from(dictionary).where(ofProject(projectId));
      return row?.rows ?? 0;
    },

    async save(projectId, { kind, name, ...set }) {
      await db
        .insert(dictionary)
        .values({ projectId, kind, name, ...set })
        .onConflictDoUpdate({ target: [dictionary.projectId, dictionary.kind, dictionary.name], set });
    },

    async remove(projectId, key) {
      await db.delete(dictionary).where(isEntry(projectId, key));
    },

    async removeProject(projectId) {
      await db.delete(dictionary).where(ofProject(projectId));
    },

    async removeOwner(sub) {
      await db.update(dictionary).set({ owner: null }).where(eq(dictionary.owner, sub));
    },
  };
}
