import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const WEB = join(import.meta.dirname, '../../web');

/** Returns the texts of the frame, which every page shows, with the names of the pages. */
async function shellTexts(): Promise<Set<string>> {
  const texts = new Set<string>();
  for await (const file of glob(['frame/*.tsx', 'pages/*/page.ts'], { cwd: WEB })) {
    const source = await readFile(join(WEB, file), 'utf8');
    for (const [, text] of source.matchAll(/\bt\(\s*'((?:[^'\\]|\\.)*)'/g)) texts.add(text ?? '');
  }
  return texts;
}

it.each(['de', 'es', 'fr', 'it', 'ja', 'nl', 'pl', 'pt'])(
  'translates every text of the frame and the name of every page into %s',
  async (language) => {
    const catalogue: Record<string, string> = JSON.parse(
      await readFile(join(WEB, 'languages', `${language}.json`), 'utf8'),
    );
    const texts = await shellTexts();
    expect(texts.size).toBeGreaterThan(60);
    expect([...texts].filter((text) => catalogue[text] === undefined)).toEqual([]);
    const values = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort();
    for (const [text, translation] of Object.entries(catalogue))
      expect([text, values(translation)]).toEqual([text, values(text)]);
  },
);
