import type { Directory } from '@switchboard/directory';

/** The text search configurations of PostgreSQL, by primary language subtag. */
const CONFIGURATIONS: Readonly<Record<string, string>> = {
  ar: 'arabic',
  ca: 'catalan',
  da: 'danish',
  de: 'german',
  el: 'greek',
  en: 'english',
  es: 'spanish',
  eu: 'basque',
  fi: 'finnish',
  fr: 'french',
  ga: 'irish',
  hi: 'hindi',
  hu: 'hungarian',
  hy: 'armenian',
  id: 'indonesian',
  it: 'italian',
  lt: 'lithuanian',
  ne: 'nepali',
  nl: 'dutch',
  no: 'norwegian',
  nb: 'norwegian',
  pt: 'portuguese',
  ro: 'romanian',
  ru: 'russian',
  sr: 'serbian',
  sv: 'swedish',
  ta: 'tamil',
  tr: 'turkish',
  yi: 'yiddish',
};

/** Returns PostgreSQL's text search configuration of a language; `simple` if it has none. */
function searchConfiguration(language: string | undefined): string {
  return CONFIGURATIONS[language?.split('-')[0]?.toLowerCase() ?? ''] ?? 'simple';
}

/** Returns the text search configuration of the default language of a project. */
export type SearchConfigurationOf = (projectId: string) => Promise<string>;

export function createSearchConfigurationOf(directory: Pick<Directory, 'project'>): SearchConfigurationOf {
  return async (projectId) => searchConfiguration((await directory.project(projectId))?.defaultLanguage);
}
