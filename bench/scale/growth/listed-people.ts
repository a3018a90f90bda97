import { PROJECT_ID } from '../../lib/project.ts';
import { ask } from './ask.ts';
import { type Dimension, type Path, sizesFrom } from './path.ts';
import { MEMBER, startSite } from './site.ts';

/** Varies the people in the list of a project. Each has traits, and one in ten has another id. */
export async function listedPeople(): Promise<Dimension> {
  const site = await startSite('analytics', { RATE_LIMITS_MULTIPLIER: '1000', LOG_LEVEL: 'fatal' });
  const { service, sql } = site;
  const token = await site.harness.mint({ sub: MEMBER });
  const headers = { Authorization: `Bearer ${token}` };
  await sql`insert into cohorts values (${PROJECT_ID}, 'named', '[]', '{person-7,person-70}', false)`;
  const list = (name: string, query: object): Path => {
    const search = new URLSearchParams(Object.entries(query));
    const path = `/v1/projects/${PROJECT_ID}/people?${search}`;
    return { name, bound: 'constant', unit: 'ms', measure: () => ask(service, { path, headers }) };
  };
  let made = 0;
  return {
    of: 'listed people',
    sizes: sizesFrom(1_000),
    async fill(size) {
      const numbers = sql`generate_series(${made}::int, ${size - 1}::int) as n`;
      await sql`
        insert into seen_people (project_id, distinct_id, first_seen_at, last_seen_at)
        select ${PROJECT_ID}, 'person-' || n, timestamptz '2025-01-01Z' + n / 10 * interval '1 minute',
          timestamptz '2026-01-01Z' + n / 10 * interval '1 minute' from ${numbers}`;
      await sql`
        insert into people (project_id, distinct_id, traits, trait_stamps)
        select ${PROJECT_ID}, 'person-' || n, json_build_object('name', 'Name ' || n, 'email', n || '@example.com',
          'plan', case when n % 10000 = 0 then 'team' when n % 20 = 0 then 'pro' else 'free' end),
          '{"name":[0,0,0],"email":[0,0,0],"plan":[0,0,0]}' from ${numbers}`;
      await sql`
        insert into person_ids (project_id, distinct_id, person_id, joined_at, joined_by)
        select ${PROJECT_ID}, 'person-' || n, 'person-' || n - 1, now(), '{"kind":"identify"}' from ${numbers}
        where n % 10 = 1`;
      await sql`vacuum analyze seen_people, people, person_ids`;
      made = size;
    },
    paths: [
      list('people, last seen', {}),
      list('people, first seen', { sort: 'first_seen' }),
      list('people, found by trait', { search: '77@example' }),
      list('people, found by a common prefix', { search: 'person-' }),
      list('people, by a trait of 5%', { where: '[{"attribute":"plan","op":"eq","value":"pro"}]' }),
      list('people, by a rare trait', { where: '[{"attribute":"plan","op":"eq","value":"team"}]' }),
      list('people of a cohort', { cohort: 'named' }),
    ],
    stop: site.stop,
  };
}
