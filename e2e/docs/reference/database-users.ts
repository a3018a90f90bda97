import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from '../../harness/repository.ts';

const STATEMENTS = 'deploy/docker/postgres/services.sql';

/** Returns the text of docs/reference/database-users.md. */
export function databaseUsersPage(): string {
  return `${[
    '# Database users',
    `<!-- Generated from ${STATEMENTS} by \`pnpm run docs\`; a test fails when it is stale. -->`,
    'Each service has a PostgreSQL database with two roles.',
    ['| database | owner | service |', '|---|---|---|', ...rows()].join('\n'),
    [
      '| role | setting | may |',
      '|---|---|---|',
      '| owner | `MIGRATIONS_DATABASE_URL` | do everything in the database; it owns the schemas and tables |',
      '| service | `DATABASE_URL` | connect; select, insert, update and delete rows |',
    ].join('\n'),
    'At start, a service connects as the owner, applies pending migrations, grants the service role the rows of every table, and disconnects. It then uses the service role alone, which cannot create, alter, truncate or drop anything, add a trigger, grant a right, or read which migrations were applied. After a restore without privileges (`pg_restore --no-privileges`), the next start grants the rows again.',
    'Without `MIGRATIONS_DATABASE_URL`, the role of `DATABASE_URL` does both. The roles limit statements: anyone who can run code in a process can read both addresses in its environment.',
    '## Create the roles',
    `[services.sql](../../${STATEMENTS}) creates every role and database. For one service, as an administrator:`,
    [
      '```sh',
      "psql --set ON_ERROR_STOP=1 <<'SQL'",
      "CREATE ROLE flags_owner LOGIN PASSWORD 'one';",
      "CREATE ROLE flags LOGIN PASSWORD 'two';",
      'CREATE DATABASE flags OWNER flags_owner;',
      'REVOKE ALL ON DATABASE flags FROM PUBLIC;',
      'GRANT CONNECT ON DATABASE flags TO flags;',
      'SQL',
      '```',
    ].join('\n'),
    'Before PostgreSQL 15, also run `REVOKE CREATE ON SCHEMA public FROM PUBLIC` in that database.',
    '## Split an existing role',
    'Stop the service, hand the database over in one transaction, set `MIGRATIONS_DATABASE_URL`, and start the service.',
    [
      '```sh',
      "psql --set ON_ERROR_STOP=1 --single-transaction --dbname flags <<'SQL'",
      "CREATE ROLE flags_owner LOGIN PASSWORD 'one';",
      'ALTER DATABASE flags OWNER TO flags_owner;',
      'REASSIGN OWNED BY flags TO flags_owner;',
      'REVOKE ALL ON DATABASE flags FROM PUBLIC;',
      'GRANT CONNECT ON DATABASE flags TO flags;',
      'SQL',
      '```',
    ].join('\n'),
  ].join('\n\n')}\n`;
}

function rows(): string[] {
  const text = readFileSync(join(REPOSITORY, STATEMENTS), 'utf8');
  const connects = new Map(
    [...text.matchAll(/^GRANT CONNECT ON DATABASE (\w+) TO (\w+);$/gm)].map(
      ([, database = '', role = '']) => [database, role],
    ),
  );
  return [...text.matchAll(/^CREATE DATABASE (\w+) OWNER (\w+);$/gm)].map(
    ([, database = '', owner = '']) => `| \`${database}\` | \`${owner}\` | \`${connects.get(database)}\` |`,
  );
}
