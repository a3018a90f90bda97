/** A tag, or what looks like a placeholder of ours. */
const PROTECTED = /<\/?[A-Za-z][^<>]*>|⟦\d+⟧/g;
const PLACEHOLDER = /⟦(\d+)⟧/g;

export interface Protected {
  /** The text with `⟦1⟧`, `⟦2⟧` ... in place of its inline markup. */
  text: string;
  markup: string[];
}

/** Takes inline markup out of a text, so that a translation cannot change it. */
export function protectMarkup(text: string): Protected {
  const markup: string[] = [];
  return { text: text.replaceAll(PROTECTED, (found) => `⟦${markup.push(found)}⟧`), markup };
}

/**
 * Puts the markup back. Undefined when a placeholder was lost, doubled or made up, when an element that was closed in
 * its place no longer is, or when the translation brings markup of its own.
 */
export function restoreMarkup(translated: string, { text, markup }: Protected): string | undefined {
  const order = [...translated.matchAll(PLACEHOLDER)].map(([, number]) => Number(number));
  const isEachOnce = order.length === markup.length && new Set(order).size === markup.length;
  if (!isEachOnce || order.some((number) => number < 1 || number > markup.length)) return undefined;
  if (beginsTag(translated) && !beginsTag(text)) return undefined;
  const tags = order.map((number) => markup[number - 1] ?? '');
  if (isNested(markup) && !isNested(tags)) return undefined;
  // A text that began or ended with white space keeps none of the model's own.
  const trimmed = text.trim() === text ? translated.trim() : translated;
  return trimmed.replaceAll(PLACEHOLDER, (_, number) => markup[Number(number) - 1] ?? '');
}

/** Whether an HTML parser may see a tag begin, be it ended or not. */
const beginsTag = (text: string) => /<[A-Za-z/!?]/.test(text);

/** Whether every end tag ends the element that was begun last. */
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
