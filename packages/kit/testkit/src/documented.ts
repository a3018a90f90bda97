import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const REPOSITORY = join(import.meta.dirname, '../../../..');

/** A fenced code block of a Markdown file, without the indentation of a list. */
export interface CodeBlock {
  language: string;
  text: string;
  /** The line number of its first line of code, from 1. */
  line: number;
  /** The link to the heading above it, such as `#pgbouncer`. Empty below the title. */
  heading: string;
  /** Its number among the blocks of its language below this heading, from 1. */
  nth: number;
}

/** Returns the fenced code blocks of a Markdown file. */
export function codeBlocks(markdown: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let heading = '';
  for (const match of markdown.matchAll(/^(#+) ([^\n]+)$|^( *)```([^\n]*)\n(.*?)^ *```$/gms)) {
    const [, level, title = '', indentation = '', language = '', text = ''] = match;
    if (level !== undefined) {
      const slug = title.toLowerCase().replaceAll(/[^\w -]/g, '');
      heading = level === '#' ? '' : `#${slug.replaceAll(' ', '-')}`;
      continue;
    }
    const before = blocks.filter((block) => block.heading === heading && block.language === language);
    blocks.push({
      language,
      text: text.replaceAll(new RegExp(`^${indentation}`, 'gm'), ''),
      line: markdown.slice(0, match.index).split('\n').length + 1,
      heading,
      nth: before.length + 1,
    });
  }
  return blocks;
}

/**
 * Returns a code block of the documentation for a test that runs it: the nth of its language below a heading, such as
 * `docs/operate.md#pgbouncer`. A test of the documentation finds this call by its arguments, so pass them as literals.
 */
export function documented(place: string, language: string, nth = 1): string {
  const [path = '', heading] = place.split('#');
  const block = codeBlocks(readFileSync(join(REPOSITORY, path), 'utf8')).find(
    (one) =>
      one.heading === (heading === undefined ? '' : `#${heading}`) &&
      one.language === language &&
      one.nth === nth,
  );
  if (block === undefined) throw new Error(`${place}: no ${language} block ${nth}`);
  return block.text;
}
