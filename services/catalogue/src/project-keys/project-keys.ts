import { randomInt } from 'node:crypto';
import { auditedKey } from '@switchboard/contracts';
import type { Db } from '@switchboard/database';
import { directoryRecord, directoryTombstone } from '@switchboard/directory';
import { type AuditedChange, Conflict } from '@switchboard/http';
import type { Outbox } from '../outbox/outbox.ts';
import { type Projects, projectNotFound } from '../projects/projects.ts';
import { createProjectsStore } from '../projects/store.ts';
import { createProjectKeysStore } from './store.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const KEY_CHARACTERS = 32;

/**
 * The maximum number of keys per project. Allows one each for a page, a server and an app, with room for
 * rotation.
 */
const MAX_KEYS = 100;

/** The keys of projects. A revoked key never becomes valid again. */
export interface ProjectKeys {
  /** Throws NotFound when the project does not exist. */
  list(projectId: string): Promise<string[]>;
  /** Throws NotFound when the project does not exist, and Conflict when it already has `MAX_KEYS` keys. */
  create(change: AuditedChange, projectId: string): Promise<string>;
  revoke(change: AuditedChange, projectId: string, key: string): Promise<void>;
}

interface ProjectKeysOptions {
  db: Db;
  outbox: Outbox;
  projects: Pick<Projects, 'get'>;
}

export function createProjectKeys({ db, outbox, projects }: ProjectKeysOptions): ProjectKeys {
  const store = createProjectKeysStore(db);
  return {
    async list(projectId) {
      await projects.get(projectId);
      return store.list(projectId);
    },

    create: (change, projectId) =>
      outbox.change(change, async (tx, announce) => {
        const project = await createProjectsStore(tx).lock(projectId);
        if (project === undefined) throw projectNotFound();
        const own = createProjectKeysStore(tx);
        if ((await own.count(projectId)) >= MAX_KEYS)
          throw new Conflict(`The project has ${MAX_KEYS} keys. Revoke one first.`);
        const key = makeProjectKey(project.region);
        change.describe({ object: `key:${auditedKey(key)}` });
        await own.insert({ key, projectId });
        announce([directoryRecord('key', { key, projectId })]);
        return key;
      }),

    async revoke(change, projectId, key) {
      await outbox.change(change, async (tx, announce) => {
        const isRemoved = await createProjectKeysStore(tx).remove(projectId, key);
        if (isRemoved) announce([directoryTombstone('key', key)]);
      });
    },
  };
}

/** Returns `pk_<region>_` followed by 32 uniformly random base62 characters. */
function makeProjectKey(region: string): string {
  const characters = Array.from({ length: KEY_CHARACTERS }, () => BASE62.charAt(randomInt(BASE62.length)));
  return `pk_${region}_${characters.join('')}`;
}
