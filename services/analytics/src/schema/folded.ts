import { type SQL, sql } from 'drizzle-orm';
import { people, personIds } from './people.ts';

/**
 * Returns a query of the traits, groups and seen_on of a person, with a row if the person is known. The
 * properties of a person with several ids are the newest of each name, as flags fold them.
 */
export function foldedPerson(projectId: SQL, personId: SQL): SQL {
  const joined = sql`select own.distinct_id from ${personIds} as own
    where own.project_id = ${projectId} and own.person_id = ${personId}`;
  const members = sql`(select * from ${people} as member where member.project_id = ${projectId}
    and member.distinct_id = any(array(select ${personId} union all ${joined})))`;
  const newest = (values: SQL, stamps: SQL) => sql`coalesce((
    select json_object_agg(name, value) from (
      select distinct on (stamp.key) stamp.key as name, ${values} -> stamp.key as value
      from ${members} as member cross join json_each(${stamps}) as stamp
      order by stamp.key, (stamp.value ->> 0)::float8 desc, (stamp.value ->> 1)::float8 desc,
        (stamp.value ->> 2)::float8 desc, member.distinct_id <> ${personId}, member.distinct_id collate "C"
    ) as newest where value is not null), '{}'::json)`;
  return sql`
    select traits, groups, seen_on from ${people} as alone
    where alone.project_id = ${projectId} and alone.distinct_id = ${personId} and not exists (${joined})
    union all
    select ${newest(sql`member.traits`, sql`member.trait_stamps`)},
      ${newest(sql`member.groups`, sql`member.group_stamps`)},
      (select max(seen_on) from ${members} as member)
    where exists (${joined})`;
}

/**
 * Returns a query of project_id and distinct_id of up to `limit` people in order: those with traits or groups of their
 * own, and those who have them by another id.
 */
export function peopleInOrder(follows: (id: SQL) => SQL, limit: number): SQL {
  return sql`select project_id, distinct_id from (
      (select project_id, distinct_id from ${people} where ${follows(sql`distinct_id`)}
        order by project_id, distinct_id limit ${limit})
      union
      (select distinct project_id, person_id from ${personIds} where ${follows(sql`person_id`)}
        order by project_id, person_id limit ${limit})) as known
    order by project_id, distinct_id limit ${limit}`;
}
