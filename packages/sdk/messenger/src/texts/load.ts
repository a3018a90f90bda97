import { texts as en } from './en.ts';
import type { Texts } from './texts.ts';

/** Each language is loaded on demand. */
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

/**
 * Loads the texts in the first available of these languages, else in English. Dates are formatted for the visitor's
 * country.
 */
export async function loadTexts(languages: readonly string[]): Promise<Texts> {
  for (const language of languages) {
    const primary = language.split('-')[0]?.toLowerCase() ?? '';
    const load = Object.hasOwn(LANGUAGES, primary) ? LANGUAGES[primary] : undefined;
    if (load === undefined && primary !== 'en') continue;
    try {
      const texts = load === undefined ? en : (await load()).texts;
      return { ...texts, tag: Intl.getCanonicalLocales(language)[0] ?? texts.tag };
    } catch {
      break; // Loading failed, or the tag is invalid.
    }
  }
  return en;
}
