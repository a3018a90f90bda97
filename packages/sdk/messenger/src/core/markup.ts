/** A piece of a starter prompt: text, or an element that contains pieces. */
export type Piece = string | { tag: string; href: string | undefined; pieces: Piece[] };

const TOKEN = /<(\/?)(a|b|strong|i|em|code|br)\b([^>]*)>|&(amp|lt|gt|quot|nbsp|#39|#x27);/gi;
const ENTITIES: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  nbsp: '\u00a0',
  '#39': "'",
  '#x27': "'",
};

/**
 * Parses the inline markup of a starter prompt without the browser's HTML parser. Everything that is not one of the
 * elements is text.
 */
export function parseMarkup(html: string): Piece[] {
  const open: { tag: string; pieces: Piece[] }[] = [{ tag: '', pieces: [] }];
  const push = (piece: Piece) => {
    if (piece !== '') open.at(-1)?.pieces.push(piece);
  };
  let end = 0;
  for (const match of html.matchAll(TOKEN)) {
    const [whole, slash, name, attributes, entity] = match;
    push(html.slice(end, match.index));
    end = match.index + whole.length;
    const tag = name?.toLowerCase() ?? '';
    if (entity !== undefined) push(ENTITIES[entity.toLowerCase()] ?? whole);
    else if (tag === 'br') push('\n');
    else if (slash === '') {
      const element = { tag, href: tag === 'a' ? hrefIn(attributes ?? '') : undefined, pieces: [] };
      push(element);
      open.push(element);
    } else if (open.length > 1 && open.at(-1)?.tag === tag) open.pop();
  }
  push(html.slice(end));
  return open[0]?.pieces ?? [];
}

function hrefIn(attributes: string): string | undefined {
  const [, , href = ''] = /\bhref\s*=\s*(["'])(.*?)\1/i.exec(attributes) ?? [];
  const plain = href.replace(/&amp;/g, '&');
  return /^(https?:\/\/|mailto:)/i.test(plain) ? plain : undefined;
}

const CJK = String.raw`\p{Script=Han}\p{Script=Hangul}\p{Script=Bopomofo}\u3000-\u30ff\uff00-\uffef`;
const QUOTES = '"“”„‟«»‹›‘’‚‛';
const MARKS = String.raw`\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069`;
/**
 * No separator is needed between a URL and Chinese, Japanese or Korean text after it. A host may begin with such
 * text.
 */
const LINK = new RegExp(
  String.raw`\bhttps?://(?:[${CJK}]+(?=[\w.-]))?[^\s<>${QUOTES}${CJK}${MARKS}]+`,
  'giu',
);
const CLOSING: Record<string, string> = { ')': '(', ']': '[', '}': '{' };
/** Characters that end a sentence or open a bracket, in any script. */
const ENDS_SENTENCE = /^(?:[.,;:!?'([{]|(?![\0-\x7f])\p{P})$/u;

/** Converts the URLs in the plain text of a turn to links. */
export function linked(text: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const { 0: found, index } of text.matchAll(LINK)) {
    const href = withoutEnd(found);
    if (/^https?:\/*$/i.test(href)) continue;
    pieces.push(text.slice(end, index), { tag: 'a', href, pieces: [href] });
    end = index + href.length;
  }
  return [...pieces, text.slice(end)];
}

/** Removes a closing bracket that was not opened in the URL, and punctuation at the end of the sentence. */
function withoutEnd(found: string): string {
  const open: string[] = [];
  let length = 0;
  for (const character of found) {
    const opening = CLOSING[character];
    if (opening !== undefined && open.pop() !== opening) break;
    if ('([{'.includes(character)) open.push(character);
    length += character.length;
  }
  let href = found.slice(0, length);
  while (ENDS_SENTENCE.test(href.at(-1) ?? '')) href = href.slice(0, -1);
  return href;
}
