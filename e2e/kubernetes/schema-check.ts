import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const kinds = join(import.meta.dirname, 'kinds.ts');
const tsc = join(import.meta.dirname, '../../node_modules/.bin/tsc');
const compilerOptions = {
  noEmit: true,
  strict: true,
  skipLibCheck: true,
  module: 'nodenext',
  allowImportingTsExtensions: true,
  types: [],
};

/**
 * Returns the errors that Kubernetes would report, one per line: unknown or missing fields and wrong types.
 * TypeScript checks each manifest as an object literal against types generated from the OpenAPI documents.
 */
export async function schemaErrors(manifests: object[]): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-manifests-'));
  try {
    const lines = manifests.map((one) => `(${JSON.stringify(one)}) satisfies Manifest;`);
    lines.unshift(`import type { Manifest } from '${kinds}';`);
    await writeFile(join(folder, 'manifests.ts'), lines.join('\n'));
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    await run(tsc, ['--project', folder]);
    return [];
  } catch (error) {
    if (error instanceof Error && 'stdout' in error && error.stdout)
      return String(error.stdout).trim().split('\n');
    throw error;
  } finally {
    await rm(folder, { recursive: true });
  }
}
