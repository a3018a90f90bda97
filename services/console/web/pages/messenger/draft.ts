import type { Result } from '@switchboard/management';
import { CHOICES } from '@switchboard/messenger/config';

export type Settings = Result<'getMessengerSettings'>;
export type Texts = Settings['texts'][string];
export type Prompt = NonNullable<Texts['starterPrompts']>[number];
export type Member = Settings['team'][number];
export type Search = Result<'getHelpCentre'>['search'];

/** A picture that is uploaded when the settings are saved. */
export interface NewPicture {
  userId: string;
  /** A data URL. */
  address: string;
}

/** Everything that the page saves together. */
export interface Draft {
  settings: Settings;
  search: Search;
  /** The new pictures, by the `avatarUrl` that names them until then. */
  pictures: Readonly<Record<string, NewPicture>>;
}

/** The stored state, and the `ETag` of the settings. The tag is undefined if they were never saved. */
export interface Stored extends Draft {
  etag: string | undefined;
}

/** The values of a setting. The first is the default. */
export const valuesOf = (setting: keyof typeof CHOICES): readonly string[] => Object.keys(CHOICES[setting]);

/** The settings of a messenger that was never configured: the defaults, switched off. */
export const DEFAULTS: Settings = {
  enabled: false,
  launcherPosition: 'right',
  launcherOffsetX: 20,
  launcherOffsetY: 20,
  accentColor: '#3355ff',
  availability: null,
  skin: 'plain',
  launcherShape: 'circle',
  launcherFill: 'solid',
  launcherContent: 'icon',
  launcherSize: 'medium',
  bubbleShape: 'round',
  bubbleFill: 'solid',
  composerShape: 'round',
  namePlacement: 'above',
  nameAvatar: true,
  dayDividers: true,
  stampPlacement: 'below',
  stampContent: 'time',
  team: [],
  texts: {},
};

/** One difference: the names that lead to the value, and the value before and after. */
export interface Change {
  path: readonly string[];
  before: unknown;
  after: unknown;
}

const TEXTS = ['greeting', 'awayMessage', 'starterPrompts'] as const;
const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** Returns the differences between two states, setting by setting and text by text. */
export function changesOf(before: Draft, after: Draft): Change[] {
  const valuesIn = ({ settings: { texts, ...settings }, search }: Draft, languages: readonly string[]) => [
    ...Object.entries(settings).map(([name, value]) => ({ path: ['settings', name], value })),
    ...languages.flatMap((language) =>
      TEXTS.map((name) => ({ path: ['texts', language, name], value: texts[language]?.[name] })),
    ),
    ...Object.entries(search).map(([name, value]) => ({ path: ['search', name], value })),
  ];
  const languages = [...new Set([before, after].flatMap(({ settings }) => Object.keys(settings.texts)))];
  const old = new Map(valuesIn(before, languages).map(({ path, value }) => [path.join('/'), value]));
  return valuesIn(after, languages).flatMap(({ path, value }) => {
    const known = old.get(path.join('/'));
    return isSame(known, value) ? [] : [{ path, before: known, after: value }];
  });
}

/** Repeats changes on another state. */
export function withChanges(draft: Draft, changes: readonly Change[]): Draft {
  return changes.reduce(({ settings, search, pictures }, { path: [part, name = '', text = ''], after }) => {
    if (part === 'search') return { settings, pictures, search: { ...search, [name]: after } };
    if (part === 'settings') return { settings: { ...settings, [name]: after }, search, pictures };
    return { settings: withText(settings, name, { [text]: after }), search, pictures };
  }, draft);
}

/** Sets texts of a language. Undefined removes a text, and a language without texts is left out. */
export function withText(settings: Settings, language: string, given: Partial<Texts>): Settings {
  const all = { ...settings.texts[language], ...given };
  const texts: Texts = {
    ...(all.greeting !== undefined && { greeting: all.greeting }),
    ...(all.awayMessage !== undefined && { awayMessage: all.awayMessage }),
    ...(all.starterPrompts !== undefined && { starterPrompts: all.starterPrompts }),
  };
  const { [language]: _, ...others } = settings.texts;
  if (Object.keys(texts).length === 0) return { ...settings, texts: others };
  return {
    ...settings,
    texts:
      language in settings.texts
        ? { ...settings.texts, [language]: texts }
        : { ...others, [language]: texts },
  };
}

/** Returns the texts of a visitor: each from the first of the languages that has it, as the API resolves them. */
export function textsFor({ texts }: Settings, language: string, defaultLanguage: string): Required<Texts> {
  const known = new Map(Object.entries(texts).map(([tag, of]) => [tag.toLowerCase(), of]));
  const wanted = [language, defaultLanguage, 'en'].flatMap((tag) => {
    const exact = tag.toLowerCase();
    return [exact, exact.split('-', 1)[0] ?? exact];
  });
  const found = wanted.flatMap((tag) => known.get(tag) ?? []);
  return {
    greeting: found.find(({ greeting }) => greeting !== undefined)?.greeting ?? '',
    awayMessage: found.find(({ awayMessage }) => awayMessage !== undefined)?.awayMessage ?? '',
    starterPrompts: found.find(({ starterPrompts }) => starterPrompts !== undefined)?.starterPrompts ?? [],
  };
}

/** Returns the configuration that a visitor of this language would read. */
export function configurationFor(settings: Settings, language: string, defaultLanguage: string) {
  const { texts: _, ...appearance } = settings;
  return {
    ...appearance,
    ...textsFor(settings, language, defaultLanguage),
    enabled: true,
    version: '',
    socketUrl: '',
    attachments: { enabled: true, maxBytes: 500_000, accept: ['image/png', 'image/jpeg'] },
  };
}

/** Returns the name of a language, such as "German". */
export function languageName(tag: string, locale: string): string {
  try {
    return new Intl.DisplayNames([locale], { type: 'language' }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}
