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
 * Returns the languages to take texts from, limited to languages that have texts. Each of the visitor's tags
 * comes first, followed by its primary subtag, then the same for the project's default language, then English.
 */
export function languagesFor(
  locale: string | undefined,
  defaultLanguage: string,
  texts: TextsByLanguage,
): string[] {
  const tags = (locale ?? '').split(',', MAX_TAGS).map((tag) => tag.trim());
  // Checks only tags with texts: for a text that is not a tag, such as an empty one, the check throws, which is
  // slow.
  const known = tags.filter((tag) => formsOf(tag).some((form) => texts.has(form)) && isLanguageTag(tag));
  const wanted = [...known, defaultLanguage, 'en'].flatMap(formsOf);
  return [...new Set(wanted)].filter((form) => texts.has(form));
}

/** Returns a tag and its primary subtag in lower case. */
function formsOf(tag: string): string[] {
  const exact = tag.toLowerCase();
  return [exact, exact.split('-', 1)[0] ?? exact];
}

/** Takes each text from the first language that has it. */
export function resolveTexts(languages: readonly string[], texts: TextsByLanguage): ResolvedTexts {
  const found = languages.map((language) => texts.get(language)).filter((of) => of !== undefined);
  return {
    greeting: found.find((of) => of.greeting !== undefined)?.greeting ?? '',
    awayMessage: found.find((of) => of.awayMessage !== undefined)?.awayMessage ?? '',
    starterPrompts: found.find((of) => of.starterPrompts !== undefined)?.starterPrompts ?? [],
  };
}
