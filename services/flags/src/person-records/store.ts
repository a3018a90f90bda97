import type { JoinedBy } from '@switchboard/contracts';
import type { Db, Tx } from '@switchboard/database';
import type { OutboxSource, Republication } from '@switchboard/outbox';
import { createJoinsStore, executeOn, joinOf } from '@switchboard/user-state';
import { sql } from 'drizzle-orm';
import { identities, publishedPeople, unpublishedPeople } from '../schema/index.ts';

/** The current person of a distinct id that was joined or parted since it was last published. */
export interface ChangedId {
  projectId: string;
  distinctId: string;
  revision: string;
  /** Null if it is not joined to another id. */
  now: { personId: string; joinedAt: string; by: JoinedBy } | null;
}

export type PersonRecordsStore = OutboxSource<ChangedId>;

interface ChangedRow extends Record<string, unknown> {
  project_id: string;
  distinct_id: string;
  revision: string;
}

export function createPersonRecordsStore(tx: Db | Tx): PersonRecordsStore {
  const joins = createJoinsStore(executeOn(tx));
  return {
    async oldest(limit) {
      const rows = await tx.execute<ChangedRow>(sql`
        select project_id, distinct_id, revision::text as revision from ${unpublishedPeople}
        order by unpublished_people.revision limit ${limit}`);
      const changed: ChangedId[] = [];
      for (const [projectId, ofProject] of Map.groupBy(rows, (row) => row.project_id)) {
        const ids = ofProject.map((row) => row.distinct_id);
        const found = new Map((await joins.read(projectId, ids)).map((one) => [one.distinctId, one]));
        for (const { distinct_id: distinctId, revision } of ofProject) {
          const identity = found.get(distinctId);
          const join = identity && joinOf(identity);
          const personId = identity?.personId ?? distinctId;
          const now =
            join === undefined || personId === distinctId
              ? null
              : { personId, joinedAt: new Date(join.at).toISOString(), by: join.by };
          changed.push({ projectId, distinctId, revision, now });
        }
      }
      return changed;
    },

    async markPublished(changed) {
      const column = (values: string[]) => sql`${sql.param(values)}::text[]`;
      await tx.execute(sql`
        delete from ${unpublishedPeople} using unnest(
          ${column(changed.map(({ projectId }) => projectId))},
          ${column(changed.map(({ distinctId }) => distinctId))},
          ${column(changed.map(({ revision }) => revision))}::bigint[]) as sent (project_id, distinct_id, revision)
        where unpublished_people.project_id = sent.project_id
          and unpublished_people.distinct_id = sent.distinct_id and unpublished_people.revision = sent.revision`);
    },
  };
}

export const personRepublication: Republication = {
  offsets: publishedPeople,
  async publishAll(tx) {
    const { count } = await tx.execute(sql`
      insert into ${unpublishedPeople} (project_id, distinct_id)
      select project_id, distinct_id from ${identities}
      -- Copies of the lost topic may hold ids that were parted since.
      where person_id <> distinct_id or claimed_by is not null or decided_at is not null
      -- In the order in which calls announce ids, so that neither waits for the other.
      order by 1, 2 on conflict do nothing`);
    return count;
  },
};
