import { Parser } from 'htmlparser2';

const BLOCKS = new Set(
  'address article blockquote div dd dl dt figure footer form h1 h2 h3 h4 h5 h6 header hr li main ol p pre section table tr ul'.split(
    ' ',
  ),
);
const HIDDEN = new Set(['head', 'script', 'style', 'title', 'template']);
/** Elements deeper than this end the text. The parser takes quadratic time for the depth. */
const MAX_DEPTH = 300;
/** The depth is checked after this many characters. */
const CHUNK = 5_000;
/** Quotes deeper than this are marked like quotes of this depth. */
const MAX_QUOTES = 5;

interface TextOptions {
  /** Called with the address of each picture. */
  onPicture?(url: string): void;
  /** Whether the addresses of links follow their texts. */
  hasLinks?: boolean;
}

const LINK = /^(https?|mailto):/i;

/** Returns the text of HTML, at most `maxLength` characters. Quoted text gets the marks of plain text. */
export function textOfHtml(
  html: string,
  maxLength: number,
  { onPicture, hasLinks = false }: TextOptions = {},
): string {
  let text = '';
  let hidden = 0;
  let quotes = 0;
  let depth = 0;
  let isLineStart = true;
  let link: { url: string; start: number } | undefined;
  const breakLine = () => {
    if (!isLineStart) text += '\n';
    isLineStart = true;
  };
  const parser = new Parser(
    {
      onopentag(name, { src, href }) {
        depth += 1;
        if (HIDDEN.has(name)) hidden += 1;
        if (BLOCKS.has(name)) breakLine();
        if (name === 'br') {
          if (!isLineStart) breakLine();
          else if (text !== '' && !text.endsWith('\n\n')) text += '\n';
        }
        if (name === 'blockquote') quotes += 1;
        if (name === 'img' && src !== undefined) onPicture?.(src);
        if (name === 'a' && hasLinks && href !== undefined && LINK.test(href))
          link = { url: href, start: text.length };
      },
      ontext(data) {
        if (hidden > 0 || text.length >= maxLength) return;
        const words = data.replaceAll(/\s+/g, ' ');
        const shown = isLineStart ? words.trimStart() : words;
        if (shown === '') return;
        if (isLineStart && quotes > 0) text += `${'>'.repeat(Math.min(quotes, MAX_QUOTES))} `;
        text += shown;
        isLineStart = false;
      },
      onclosetag(name) {
        depth -= 1;
        if (name === 'a' && link !== undefined) {
          const { url, start } = link;
          if (text.length < maxLength && !text.slice(start).includes(url.replace(/^mailto:/i, '')))
            text += ` (${url})`;
          link = undefined;
        }
        if (HIDDEN.has(name)) hidden = Math.max(0, hidden - 1);
        if (BLOCKS.has(name)) breakLine();
        if (name === 'p') text += '\n';
        if (name === 'blockquote') quotes = Math.max(0, quotes - 1);
      },
    },
    { decodeEntities: true },
  );
  for (let at = 0; at < html.length && depth <= MAX_DEPTH; at += CHUNK)
    parser.write(html.slice(at, at + CHUNK));
  parser.end();
  return text
    .slice(0, maxLength)
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}
