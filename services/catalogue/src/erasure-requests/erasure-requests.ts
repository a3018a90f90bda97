import type { Erasure, ErasureOfPerson, PersonErasure, ServiceName } from '@switchboard/contracts';
import { directoryTombstone } from '@switchboard/directory';
import { type AuditedChange, BadRequest } from '@switchboard/http';
import type { PersonIds } from '@switchboard/person-ids';
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
const OF_PEOPLE: readonly ServiceName[] = [
  'analytics',
  'archive',
  'collaboration',
  'delivery',
  'flags',
  'messenger',
];

/** The maximum number of distinct ids in the record of an erasure. A person has at most as many. */
const MAX_IDS = 1_000;

/** Requests to erase people and colleagues. */
export interface ErasureRequests {
  /**
   * Erases all distinct ids of the persons, and answers them. Throws NotFound when the project does not exist, and
   * BadRequest when the persons have too many ids for one erasure.
   */
  erasePerson(change: AuditedChange, projectId: string, person: PersonErasure): Promise<ErasureOfPerson>;
  /** Removes the colleague from every company and revokes service tokens, as removing a member does. */
  eraseColleague(change: AuditedChange, sub: string): Promise<Erasure>;
}

interface ErasureRequestsOptions {
  outbox: Outbox;
  beginnings: Beginnings;
  erasures: Pick<Erasures, 'get'>;
  personIds: Pick<PersonIds, 'idsOf'>;
}

export function createErasureRequests({
  outbox,
  beginnings,
  erasures,
  personIds,
}: ErasureRequestsOptions): ErasureRequests {
  async function idsOfAll(projectId: string, distinctIds: readonly string[]): Promise<string[]> {
    const all = new Set(distinctIds);
    for (const distinctId of distinctIds)
      for (const one of await personIds.idsOf(projectId, distinctId)) all.add(one);
    if (all.size > MAX_IDS)
      throw new BadRequest(
        `distinctIds: the persons have ${all.size} distinct ids, and one erasure takes at most ${MAX_IDS}. Erase fewer persons at once.`,
      );
    return [...all];
  }

  return {
    async erasePerson(change, projectId, { distinctIds: given, userId = null }) {
      const distinctIds = await idsOfAll(projectId, given);
      const id = await outbox.change(change, async (tx, announce) => {
        const project = await createProjectsStore(tx).hold(projectId);
        if (project === undefined) throw projectNotFound();
        const begun = await beginnings.begin(
          tx,
          announce,
          { subject: { kind: 'person', projectId, distinctIds, userId }, companyId: project.companyId },
          { regions: [project.region], services: OF_PEOPLE },
        );
        change.describe({ object: `erasure:${begun}` });
        return begun;
      });
      return { ...(await erasures.get(id)), distinctIds };
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
        const [begun = ''] = await beginnings.beginEverywhere(tx, announce, [
          { subject: { kind: 'colleague', sub }, companyId: null },
        ]);
        change.describe({ object: `erasure:${begun}` });
        return begun;
      });
      return erasures.get(id);
    },
  };
}
