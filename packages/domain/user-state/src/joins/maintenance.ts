import type { Database, Db, ExpiringData } from '@switchboard/database';
import { sql } from 'drizzle-orm';
import { eraseIds } from './joins.ts';
import { identities, persons, unpublishedPeople } from './schema.ts';
import { createJoinsStore, executeOn } from './store.ts';

const PERSONS_AT_ONCE = 20;
const ROWS_AT_ONCE = 10_000;
const ANNOUNCED = sql`on conflict (project_id, distinct_id) do update set
  revision = nextval(pg_get_serial_sequence('unpublished_people', 'revision'))`;

/** Returns the persons with several ids that no identify or group call has named for `days` days. */
export function unseenPersons(
  { drizzle: db }: Pick<Database, 'drizzle'>,
  days: number | undefined,
): ExpiringData {
  return {
    kind: 'people with several ids',
    days,
    async removeBefore(time) {
      const day = sql`${time.toISOString()}::timestamptz::date`;
      // An id that is not used keeps its traits as long as its person is seen. This statement waits for no lock, and is
      // outside the transaction, because writers lock projects before rows.
      await db.execute(sql`
        update people set seen_on = person.seen_on
        from (
          select old.project_id, old.distinct_id, persons.seen_on from people as old
            join ${identities} using (project_id, distinct_id) join ${persons} using (project_id, person_id)
          where old.seen_on < ${day} and persons.seen_on >= ${day} limit ${ROWS_AT_ONCE}
          for update of old skip locked) as person
        where people.project_id = person.project_id and people.distinct_id = person.distinct_id`);
      return db.transaction(async (tx) => {
        const joins = createJoinsStore(executeOn(tx));
        const found = await tx.execute<{ project_id: string }>(sql`
          select project_id from ${persons} where seen_on < ${day} order by seen_on limit ${PERSONS_AT_ONCE}`);
        const projects = new Set(found.map((row) => row.project_id));
        await joins.lockProjects(new Map([...projects].map((projectId) => [projectId, true])));
        let rows = 0;
        for (const projectId of projects) {
          const unseen = await tx.execute<{ ids: string[] }>(sql`
            select ids from ${persons} where project_id = ${projectId} and seen_on < ${day}
            order by seen_on limit ${PERSONS_AT_ONCE}`);
          const ids = unseen.flatMap((person) => person.ids);
          if (ids.length > 0) await eraseIds(joins, projectId, ids);
          rows += unseen.length;
        }
        return { rows };
      });
    },
    async oldest() {
      const [row] = await db.execute<{ day: string | null }>(
        sql`select min(seen_on)::text as day from ${persons}`,
      );
      return row?.day == null ? undefined : new Date(row.day);
    },
  };
}

/** Removes which ids of a project are of one person, and publishes that none are. */
export async function removeProjectJoins(db: Db, projectId: string, signal: AbortSignal): Promise<void> {
  let removed = 0;
  do {
    signal.throwIfAborted();
    const rows = await db.execute(sql`
      with gone as (
        delete from ${identities} where ctid = any(array(
          select ctid from ${identities} where project_id = ${projectId} limit ${ROWS_AT_ONCE}))
        returning project_id, distinct_id, person_id
      ), announced as (
        insert into ${unpublishedPeople} (project_id, distinct_id)
        select project_id, distinct_id from gone where person_id <> distinct_id order by 2 ${ANNOUNCED}
      )
      select 1 from gone`);
    removed = rows.length;
  } while (removed > 0);
  await db.execute(sql`delete from ${persons} where project_id = ${projectId}`);
}

/** Removes a colleague as the author of decisions about ids, and publishes these ids again. */
export async function removeDecider(db: Db, sub: string): Promise<void> {
  const decided = await db.execute<{ project_id: string }>(sql`
    select distinct project_id from ${identities} where decided_by = ${sub}`);
  for (const { project_id: projectId } of decided)
    await db.transaction(async (tx) => {
      await createJoinsStore(executeOn(tx)).lockProjects(new Map([[projectId, true]]));
      await tx.execute(sql`
        with changed as (
          update ${identities} set decided_by = null where project_id = ${projectId} and decided_by = ${sub}
          returning project_id, distinct_id
        )
        insert into ${unpublishedPeople} (project_id, distinct_id)
        select project_id, distinct_id from changed order by 1, 2 ${ANNOUNCED}`);
    });
}
