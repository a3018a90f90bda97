import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { buildSdks } from './build.ts';

/** `main.ts <file>` builds the SDKs into one file, which images include. */
const [file] = process.argv.slice(2);
if (file === undefined) {
  process.stderr.write('Usage: main.ts <file>\n');
  process.exitCode = 1;
} else {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify(await buildSdks()));
}
