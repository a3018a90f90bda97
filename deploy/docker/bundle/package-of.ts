import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

interface PackageFacts {
  name: string;
  version: string;
  licence: string;
  folder: string;
}

/** Returns the package of a file: the nearest package.json above it that has a name. Throws if there is none. */
export async function packageOf(file: string): Promise<PackageFacts> {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => '{}');
    const { name, version = '', license = 'not stated' } = JSON.parse(text);
    if (name !== undefined) {
      return { name, version, licence: typeof license === 'string' ? license : license.type, folder };
    }
  }
  throw new Error(`${file} belongs to no package`);
}
