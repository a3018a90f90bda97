import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { glob, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const SERVICE = join(import.meta.dirname, '../..');
const CACHE = join(SERVICE, 'node_modules/.cache/web');
const SOURCES = [
  'web/**/*',
  'src/build/*',
  'src/assets/assets.ts',
  'src/operator/deployment-state.ts',
  'package.json',
  '../../packages/domain/flag-engine/src/**/*',
  '../../packages/domain/report-content/src/*',
  '../../packages/kit/design/src/*',
  '../../packages/sdk/browser/src/**/*',
  '../../packages/sdk/management/src/*',
  '../../packages/sdk/messenger/src/**/*',
];

const run = promisify(execFile);

/**
 * Builds the application from its sources, once for each state of them, and returns its folder. The build runs in a
 * process of its own, since it takes more memory than the service.
 */
export async function buildWeb(): Promise<string> {
  const folder = join(CACHE, await stateOf(SOURCES));
  if (await exists(folder)) return folder;
  const unfinished = join(CACHE, randomUUID());
  await run(process.execPath, [join(import.meta.dirname, 'main.ts'), unfinished]);
  // Another process may have finished first.
  await rename(unfinished, folder).catch(async (error: unknown) => {
    await rm(unfinished, { recursive: true });
    if (!(await exists(folder))) throw error;
  });
  return folder;
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

async function stateOf(patterns: readonly string[]): Promise<string> {
  const files: string[] = [];
  for await (const file of glob(patterns, { cwd: SERVICE })) files.push(file);
  const hash = createHash('sha256');
  for (const file of files.sort()) {
    const path = join(SERVICE, file);
    if ((await stat(path)).isFile()) hash.update(`${file}\0`).update(await readFile(path));
  }
  return hash.digest('hex').slice(0, 16);
}
