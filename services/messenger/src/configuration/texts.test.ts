import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { languagesFor, resolveTexts, textsByLanguage } from './texts.ts';

const texts = textsByLanguage({
  en: { greeting: 'Hello', awayMessage: 'Away', starterPrompts: [{ html: 'a', text: 'a' }] },
  pt: { greeting: 'Olá' },
  'pt-BR': { awayMessage: 'Fora' },
  de: { greeting: 'Hallo', starterPrompts: [] },
  'zh-Hant-TW': { greeting: '你好' },
});
const languages = (locale: string | undefined, byDefault = 'de') => languagesFor(locale, byDefault, texts);

test("chooses each tag, its primary subtag, the project's default language, then English", () => {
  expect(languages('pt-BR')).toEqual(['pt-br', 'pt', 'de', 'en']);
  expect(languages('en-GB,pt-BR')).toEqual(['en', 'pt-br', 'pt', 'de']);
  expect(languages('fr')).toEqual(['de', 'en']);
  expect(languages(undefined, 'fr')).toEqual(['en']);
  expect(languages('', 'de-AT')).toEqual(['de', 'en']);
});

test('ignores the case of tags, and skips malformed tags', () => {
  expect(languages('ZH-hant-tw, PT-br')).toEqual(['zh-hant-tw', 'pt-br', 'pt', 'de', 'en']);
  expect(languages('*,pt_BR,,pt;q=1, - ,pt')).toEqual(['pt', 'de', 'en']);
});

test('ignores the eleventh tag and later ones', () => {
  const ten = Array.from({ length: 10 }, () => 'fr');
  expect(languages([...ten, 'pt'].join())).toEqual(['de', 'en']);
  expect(languages([...ten.slice(1), 'pt'].join())).toEqual(['pt', 'de', 'en']);
});

test('falls back for each text by itself, and keeps an empty text', () => {
  expect(resolveTexts(languages('pt-BR'), texts)).toEqual({
    greeting: 'Olá',
    awayMessage: 'Fora',
    starterPrompts: [],
  });
  expect(resolveTexts(languages('pt', 'en'), texts)).toMatchObject({ awayMessage: 'Away' });
  expect(resolveTexts([], texts)).toEqual({ greeting: '', awayMessage: '', starterPrompts: [] });
});

test('checks whether a tag is well-formed only where it names texts', () => {
  const check = vi.spyOn(Intl, 'getCanonicalLocales');
  onTestFinished(() => check.mockRestore());
  for (const locale of [undefined, '', ',', '!', 'xx-YY']) languages(locale);
  expect(check).not.toHaveBeenCalled();
});

test('returns the languages with texts, each once, for any locale', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^([a-z]{2,3}(-[a-z]{2,4})?,){0,20}$/)), (locale) => {
      const found = languages(locale);
      expect(new Set(found).size).toBe(found.length);
      expect(found.every((language) => texts.has(language))).toBe(true);
      expect(found).toContain('en');
    }),
  );
});
