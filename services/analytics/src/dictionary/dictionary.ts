import type { DictionaryEntry } from '@switchboard/contracts';
import type { Db } from '@switchboard/database';
import type { Directory } from '@switchboard/directory';
import {
  type AuditedChange,
  BadRequest,
  decodeCursor,
  encodeCursor,
  NotFound,
  type PageRequest,
  toPage,
} from '@switchboard/http';
import { z } from 'zod';
import { createDictionaryStore, type EntryKey } from './store.ts';

/** Bounds the table. Only colleagues add entries, so events with many names add none. */
const MAX_ENTRIES = 5_000;

interface DictionaryPage {
  dictionary: DictionaryEntry[];
  nextCursor: string | null;
}

export interface Dictionary {
  list(projectId: string, page: PageRequest): Promise<DictionaryPage>;
  /** Throws NotFound. */
  get(projectId: string, key: EntryKey): Promise<DictionaryEntry>;
  /** Throws BadRequest if the owner is not a member, or if the project has too many entries. */
  put(change: AuditedChange, projectId: string, entry: DictionaryEntry): Promise<DictionaryEntry>;
  remove(change: AuditedChange, projectId: string, key: EntryKey): Promise<void>;
}

interface DictionaryOptions {
  db: Db;
  directory: Pick<Directory, 'project' | 'member'>;
}

const placeSchema = z.tuple([z.enum(['event', 'property']), z.string()]);

/** Manages what colleagues know about the events and properties of projects. */
export function createDictionary({ db, directory }: DictionaryOptions): Dictionary {
  const store = createDictionaryStore(db);

  async function requireMember(projectId: string, sub: string): Promise<void> {
    const project = await directory.project(projectId);
    const member = project && (await directory.member(project.companyId, sub));
    if (member === undefined) throw new BadRequest('owner: not a member of the company; use the sub of one');
  }

  return {
    async list(projectId, { cursor, limit }) {
      const [kind, name] = cursor === undefined ? [] : decodeCursor(cursor, placeSchema);
      const after = kind === undefined || name === undefined ? undefined : { kind, name };
      const found = await store.list(projectId, after, limit + 1);
      const { rows, nextCursor } = toPage(found, limit, (last) => encodeCursor([last.kind, last.name]));
      return { dictionary: rows, nextCursor };
    },

    async get(projectId, key) {
      const entry = await store.find(projectId, key);
      if (entry === undefined) throw new NotFound('Entry not found.');
      return entry;
    },

    async put(change, projectId, entry) {
      if (entry.owner !== null) await requireMember(projectId, entry.owner);
      await change.transaction(async (tx) => {
        const within = createDictionaryStore(tx);
        const entries = await within.count(projectId);
        if (entries >= MAX_ENTRIES && (await within.find(projectId, entry)) === undefined) throw tooMany();
        await within.save(projectId, entry);
      });
      return entry;
    },

    async remove(change, projectId, key) {
      await change.transaction((tx) => createDictionaryStore(tx).remove(projectId, key));
    },
  };
}

const tooMany = () =>
  new BadRequest(
    `A project has at most ${MAX_ENTRIES.toLocaleString('en')} entries in its dictionary. Delete some first.`,
  );
