import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import postgres from 'postgres';
import { REPOSITORY } from '../harness/repository.ts';

const STATEMENTS = join(REPOSITORY, 'deploy/docker/postgres/services.sql');

/** Runs services.sql as psql does in the container, with the container's environment. */
export async function makeServiceDatabases(url: string, env: Record<string, string>): Promise<void> {
  const text = (await readFile(STATEMENTS, 'utf8')).replaceAll(/^--.*$/gm, '');
  const variables = new Map<string, string>();
  for (const [, name = '', from = ''] of text.matchAll(/^\\getenv (\w+) (\w+)$/gm)) {
    const value = env[from];
    if (value === undefined) throw new Error(`services.sql reads ${from}, which the container does not set`);
    variables.set(name, value);
  }
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  try {
    for (const statement of text.replaceAll(/^\\.*$/gm, '').split(';')) {
      const filled = statement.replaceAll(/:'(\w+)'/g, (_, name: string) => {
        return `'${variables.get(name)?.replaceAll("'", "''")}'`;
      });
      if (filled.trim() !== '') await sql.unsafe(filled);
    }
  } finally {
    await sql.end();
  }
}
