import { createUseReporter } from '@switchboard/directory';
import type { AccessDirectory, Backings } from '@switchboard/http';
import { createMembersStore } from '../members/store.ts';
import { createProjectsStore } from '../projects/store.ts';
import { projectOf } from '../records/projects.ts';
import { tokenOf } from '../records/tokens.ts';
import { createTokensStore } from '../tokens/store.ts';

/**
 * Reads memberships, projects and tokens from the database. `projectKey` is unused: no catalogue operation
 * accepts one.
 */
export function openOwnDirectory({ add, db, logger }: Backings): AccessDirectory {
  const members = createMembersStore(db);
  const projects = createProjectsStore(db);
  const tokens = createTokensStore(db);
  const uses = add(
    createUseReporter({
      report: tokens.noteUses,
      onError: (error) => logger.failed('note uses of tokens', error),
    }),
  );
  return {
    projectKey: () => undefined,
    async project(projectId) {
      const row = await projects.find(projectId);
      return row && projectOf(row);
    },
    async member(companyId, sub) {
      const row = await members.find(companyId, sub);
      return row && { ...row, pushSubscriptions: [], generation: row.generation ?? undefined };
    },
    isMember: members.isMember,
    async token(id) {
      const row = await tokens.find(id);
      return row && tokenOf(row);
    },
    tokenUsed: uses.used,
  };
}
