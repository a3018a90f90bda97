import { randomInt } from 'node:crypto';
import { directoryRecord, directoryTombstone } from '@switchboard/directory';
import { NotFound } from '@switchboard/service-kit';
import type { Db } from '../db.ts';
import type { Outbox } from '../outbox/outbox.ts';
import { findProject, holdProject, insertKey, listKeys, removeKey } from './store.ts';

export type ProjectKeys = ReturnType<typeof createProjectKeys>;

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** `pk_<region>_` and 32 of base62, each as likely as the others. */
export function makeProjectKey(region: string): string {
  const letters = Array.from({ length: 32 }, () => base62.charAt(randomInt(base62.length)));
  return `pk_${region}_${letters.join('')}`;
}

/** The keys of projects. A revoked one never comes back. */
export function createProjectKeys({ db, outbox }: { db: Db; outbox: Outbox }) {
  return {
    async list(projectId: string): Promise<string[]> {
      if ((await findProject(db, projectId)) === undefined) throw unknownProject(projectId);
      return listKeys(db, projectId);
    },

    create(projectId: string): Promise<string> {
      return outbox.change(async (tx, announce) => {
        const project = await holdProject(tx, projectId);
        if (project === undefined) throw unknownProject(projectId);
        const key = makeProjectKey(project.region);
        await insertKey(tx, { key, projectId });
        announce([directoryRecord('key', { key, projectId })]);
        return key;
      });
    },

    async revoke(projectId: string, key: string): Promise<void> {
      await outbox.change(async (tx, announce) => {
        if (await removeKey(tx, projectId, key)) announce([directoryTombstone('key', key)]);
      });
    },
  };
}

function unknownProject(projectId: string): NotFound {
  return new NotFound(`There is no project ${projectId}.`);
}
