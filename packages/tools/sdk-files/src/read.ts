import { readFile } from 'node:fs/promises';
import type { BuiltSdks } from './built.ts';

/** Reads the file that `src/main.ts` wrote. */
export async function readSdks(file: string): Promise<BuiltSdks> {
  const built: BuiltSdks = JSON.parse(await readFile(file, 'utf8'));
  return built;
}
