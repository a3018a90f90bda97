import { isLanguageTag, type MessengerTexts, type StarterPrompt } from '@switchboard/contracts';

const MAX_TAGS = 10;

/** The texts of a messenger, all set. */
export interface ResolvedTexts {
  greeting: string;
  awayMessage: string;
  starterPrompts: StarterPrompt[];
}

/** Texts by lower-case language tag. */
export type TextsByLanguage = ReadonlyMap<string, MessengerTexts>;

export function textsByLanguage(texts: Record<string, MessengerTexts>): TextsByLanguage {
  return new Map(Object.entries(texts).map(([tag, of]) => [tag.toLowerCase(), of]));
}

/**
 * The languages to take texts from, of those that have any: each of the visitor's tags and then its primary subtag,
 * then the same for the project's default language, then English.
 */
export function languagesFor(
  locale: string | undefined,
  defaultLanguage: string,
  texts: TextsByLanguage,
): string[] {
  const tags = (locale ?? '').split(',', MAX_TAGS).map((tag) => tag.trim());
  // Asked of few: for a text that is no tag, such as none at all, the check throws inside, which is slow.
  const known = tags.filter((tag) => formsOf(tag).some((form) => texts.has(form)) && isLanguageTag(tag));
  const wanted = [...known, defaultLanguage, 'en'].flatMap(formsOf);
  return [...new Set(wanted)].filter((form) => texts.has(form));
}

/** A tag and its primary subtag, in lower case. */
function formsOf(tag: string): string[] {
  const exact = tag.toLowerCase();
  return [exact, exact.split('-', 1)[0] ?? exact];
}

/** Each text from the first language that has it. */
export function resolveTexts(languages: readonly string[], texts: TextsByLanguage): ResolvedTexts {
  const found = languages.map((language) => texts.get(language)).filter((of) => of !== undefined);
  return {
    greeting: found.find((of) => of.greeting !== undefined)?.greeting ?? '',
    awayMessage: found.find((of) => of.awayMessage !== undefined)?.awayMessage ?? '',
    starterPrompts: found.find((of) => of.starterPrompts !== undefined)?.starterPrompts ?? [],
  };
}
