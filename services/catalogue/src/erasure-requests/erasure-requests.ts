import type { Erasure, PersonErasure, ServiceName } from '@switchboard/contracts';
import { directoryTombstone } from '@switchboard/directory';
import type { AuditedChange } from '@switchboard/http';
import type { Beginnings } from '../erasures/beginnings.ts';
import type { Erasures } from '../erasures/erasures.ts';
import { createErasuresStore } from '../erasures/store.ts';
import type { Outbox } from '../outbox/outbox.ts';
import { projectNotFound } from '../projects/projects.ts';
import { createProjectsStore } from '../projects/store.ts';
import { tokenTombstones } from '../records/tokens.ts';
import { leaveServiceTokens } from '../tokens/leaving.ts';
import { createTokensStore } from '../tokens/store.ts';

/** The services that hold data about a project's end users. */
const OF_PEOPLE: readonly ServiceName[] = ['analytics', 'archive', 'collaboration', 'flags', 'messenger'];

/** Requests to erase people and colleagues. */
export interface ErasureRequests {
  /** Throws NotFound when the project does not exist. */
  erasePerson(change: AuditedChange, projectId: string, person: PersonErasure): Promise<Erasure>;
  /** Removes the colleague from every company and revokes service tokens, as removing a member does. */
  eraseColleague(change: AuditedChange, sub: string): Promise<Erasure>;
}

interface ErasureRequestsOptions {
  outbox: Outbox;
  beginnings: Beginnings;
  erasures: Pick<Erasures, 'get'>;
}

export function createErasureRequests({
  outbox,
  beginnings,
  erasures,
}: ErasureRequestsOptions): ErasureRequests {
  return {
    async erasePerson(change, projectId, { distinctIds, userId = null }) {
      const id = await outbox.change(change, async (tx, announce) => {
        const project = await createProjectsStore(tx).hold(projectId);
        if (project === undefined) throw projectNotFound();
        const begun = await beginnings.begin(
          tx,
          announce,
          { kind: 'person', projectId, distinctIds, userId },
          { regions: [project.region], services: OF_PEOPLE },
        );
        change.describe({ object: `erasure:${begun}` });
        return begun;
      });
      return erasures.get(id);
    },

    async eraseColleague(change, sub) {
      const id = await outbox.change(change, async (tx, announce) => {
        const companies = await createErasuresStore(tx).removeMemberships(sub);
        announce(companies.map((companyId) => directoryTombstone('member', companyId, sub)));
        for (const companyId of companies) {
          const leaving = { companyId, sub, role: undefined, keeps: false };
          announce((await leaveServiceTokens(tx, leaving)).records);
        }
        const tokens = createTokensStore(tx);
        announce(tokenTombstones(await tokens.removeOfPerson(sub)));
        await tokens.forgetMaker(sub);
        const [begun = ''] = await beginnings.beginEverywhere(tx, announce, [{ kind: 'colleague', sub }]);
        change.describe({ object: `erasure:${begun}` });
        return begun;
      });
      return erasures.get(id);
    },
  };
}
