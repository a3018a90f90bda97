/** A piece of a starter prompt: text, or an element with pieces in it. */
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
 * Reads the inline markup of a starter prompt without the browser's HTML parser: what is not one of the elements is
 * text.
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

const LINK = /\bhttps?:\/\/[^\s<>"]*[^\s<>".,;:!?'’)\]}]/gi;

/** The plain text of a turn, with the addresses in it as links. */
export function linked(text: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const { 0: href, index } of text.matchAll(LINK)) {
    pieces.push(text.slice(end, index), { tag: 'a', href, pieces: [href] });
    end = index + href.length;
  }
  return [...pieces, text.slice(end)];
}
