import { setupI18n } from '@lingui/core';
import { compileMessage } from '@lingui/message-utils/compileMessage';

const i18n = setupI18n();
i18n.setMessagesCompiler(compileMessage);

/** Languages other than English. Each is a file of `languages/`, loaded on use. */
const catalogues = import.meta.glob<Record<string, string>>('../languages/*.json', { import: 'default' });
const RIGHT_TO_LEFT = new Set(['ar', 'fa', 'he', 'ur']);

/**
 * Activates the first of these languages that has a catalogue. English, the source of every text, has none and is
 * the fallback for each text.
 */
export async function loadLanguage(preferred: readonly string[]): Promise<void> {
  const wanted = preferred.map((tag) => tag.split('-')[0] ?? 'en');
  const language = wanted.find((one) => one === 'en' || `../languages/${one}.json` in catalogues) ?? 'en';
  const catalogue = await catalogues[`../languages/${language}.json`]?.();
  i18n.loadAndActivate({ locale: language, messages: catalogue ?? {} });
  document.documentElement.lang = language;
  document.documentElement.dir = RIGHT_TO_LEFT.has(language) ? 'rtl' : 'ltr';
}

/**
 * Translates a text. `message` is the English text in the ICU syntax, such as
 * `{count, plural, one {# flag} other {# flags}}`.
 */
export function t(message: string, values?: Record<string, unknown>): string {
  return i18n._(message, values, { message });
}

/** Returns the language tag for numbers and times. */
export const locale = (): string => i18n.locale;
