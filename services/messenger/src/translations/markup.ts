/** A tag, or text that looks like a placeholder. */
const PROTECTED = /<\/?[A-Za-z][^<>]*>|⟦\d+⟧/g;
const PLACEHOLDER = /⟦(\d+)⟧/g;

export interface Protected {
  /** The text with placeholders `⟦1⟧`, `⟦2⟧` ... for its inline markup. */
  text: string;
  markup: string[];
}

/** Replaces inline markup with placeholders, so that a translation cannot change it. */
export function protectMarkup(text: string): Protected {
  const markup: string[] = [];
  return { text: text.replaceAll(PROTECTED, (found) => `⟦${markup.push(found)}⟧`), markup };
}

/**
 * Restores the markup. Returns undefined if a placeholder is missing, repeated or invented, if elements are no
 * longer nested, or if the translation adds markup.
 */
export function restoreMarkup(translated: string, { text, markup }: Protected): string | undefined {
  const order = [...translated.matchAll(PLACEHOLDER)].map(([, number]) => Number(number));
  const appearsOnce = order.length === markup.length && new Set(order).size === markup.length;
  if (!appearsOnce || order.some((number) => number < 1 || number > markup.length)) return undefined;
  if (startsTag(translated) && !startsTag(text)) return undefined;
  const tags = order.map((number) => markup[number - 1] ?? '');
  if (isNested(markup) && !isNested(tags)) return undefined;
  // The model may add white space around the translation. It is removed unless the text had some.
  const trimmed = text.trim() === text ? translated.trim() : translated;
  return trimmed.replaceAll(PLACEHOLDER, (_, number) => markup[Number(number) - 1] ?? '');
}

/** Whether an HTML parser may see the start of a tag. */
const startsTag = (text: string) => /<[A-Za-z/!?]/.test(text);

/** Whether every end tag closes the element opened last. */
function isNested(tags: readonly string[]): boolean {
  const open: string[] = [];
  for (const tag of tags) {
    const [, slash, name = ''] = /^<(\/?)([A-Za-z]+)/.exec(tag) ?? [];
    if (name === '' || /^br$/i.test(name) || tag.endsWith('/>')) continue;
    if (slash === '') open.push(name.toLowerCase());
    else if (open.pop() !== name.toLowerCase()) return false;
  }
  return open.length === 0;
}
