import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

interface PackageFacts {
  name: string;
  version: string;
  licence: string;
  folder: string;
}

/** The package that a file belongs to: the nearest package.json with a name, upwards. */
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
