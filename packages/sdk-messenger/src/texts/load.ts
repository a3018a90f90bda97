import { texts as en } from './en.ts';
import type { Texts } from './texts.ts';

/** Each is loaded by visitors who read it. */
const LANGUAGES: Record<string, () => Promise<{ texts: Texts }>> = {
  ar: () => import('./ar.ts'),
  de: () => import('./de.ts'),
  es: () => import('./es.ts'),
  fr: () => import('./fr.ts'),
  he: () => import('./he.ts'),
  it: () => import('./it.ts'),
  ja: () => import('./ja.ts'),
  nl: () => import('./nl.ts'),
  pl: () => import('./pl.ts'),
  pt: () => import('./pt.ts'),
};

/** The texts in the first of these languages that has them, else in English; dates as in the visitor's country. */
export async function loadTexts(languages: readonly string[]): Promise<Texts> {
  for (const language of languages) {
    const primary = language.split('-')[0]?.toLowerCase() ?? '';
    const load = Object.hasOwn(LANGUAGES, primary) ? LANGUAGES[primary] : undefined;
    if (load === undefined && primary !== 'en') continue;
    try {
      const texts = load === undefined ? en : (await load()).texts;
      return { ...texts, tag: Intl.getCanonicalLocales(language)[0] ?? texts.tag };
    } catch {
      break; // Not loaded, or not a tag.
    }
  }
  return en;
}
