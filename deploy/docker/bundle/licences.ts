import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'rolldown';
import { packageOf } from './package-of.ts';

const LICENCE_FILE = /^(licen[cs]e|copying|notice)(_font)?(\.(md|txt|markdown))?$/i;
const RULE = '-'.repeat(80);

/**
 * Adds third-party-licences.txt to the bundle. It lists each third-party package with code or files in it, and its
 * licence text.
 */
export function licences(): Plugin {
  return {
    name: 'licences',
    async generateBundle(_options, bundle) {
      const ids = Object.values(bundle).flatMap((file) =>
        file.type === 'chunk' ? file.moduleIds : file.originalFileNames,
      );
      const texts = new Map<string, string>();
      for (const id of ids.filter((path) => path.includes('/node_modules/') && path.startsWith('/'))) {
        const { name, version, licence, folder } = await packageOf(id);
        const title = `${name} ${version} (${licence})`;
        if (!texts.has(title)) texts.set(title, await licenceIn(folder));
      }
      const source = [...texts]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([title, text]) => `${title}\n\n${text || 'The package contains no licence text.'}\n`)
        .join(`\n${RULE}\n\n`);
      this.emitFile({ type: 'asset', fileName: 'third-party-licences.txt', source });
    },
  };
}

async function licenceIn(folder: string): Promise<string> {
  const files = (await readdir(folder)).filter((name) => LICENCE_FILE.test(name));
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
  return texts.map((text) => text.trim()).join('\n\n');
}
