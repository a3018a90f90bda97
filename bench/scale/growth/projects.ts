import type { Database } from '@switchboard/database';
import { NUMBER } from './ask.ts';

const COMPANIES = 1_000;
const KEY_PREFIX = `pk_eu_${'0'.repeat(32 - NUMBER.length)}`;

export const idOf = (project: number) => `project-${project}`;
export const keyHeaders = (digits: string) => ({ Authorization: `Bearer ${KEY_PREFIX}${digits}` });
export const digitsOf = (project: number) => String(project).padStart(NUMBER.length, '0');
export const keyOf = (project: number) => `${KEY_PREFIX}${digitsOf(project)}`;

/** Adds projects with these numbers and one key each to a replica of the directory, in its stored form. */
export async function addProjects(sql: Database['sql'], from: number, to: number): Promise<void> {
  await sql`
    insert into directory.entries (kind, id, value, revision)
    select 'project', 'project-' || n, json_build_object('id', 'project-' || n, 'companyId', 'company-' || n % ${COMPANIES}::int,
      'name', 'Project ' || n, 'region', 'eu', 'defaultLanguage', 'en')::text, n + 1
    from generate_series(${from}::int, ${to - 1}::int) as n`;
  await sql`
    insert into directory.entries (kind, id, value, revision)
    select 'key', key, json_build_object('key', key, 'projectId', 'project-' || n)::text, n + 1
    from (
      select n, ${KEY_PREFIX} || lpad(n::text, ${NUMBER.length}::int, '0') as key
      from generate_series(${from}::int, ${to - 1}::int) as n
    ) as numbered`;
  await sql`vacuum analyze directory.entries`;
}
