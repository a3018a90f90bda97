import { expect, it } from 'vitest';
import { LANGUAGES } from './languages.ts';

/** Returns the leaves of the texts by path, with functions called on marked arguments. */
function leavesOf(texts: object, path = ''): [string, string][] {
  return Object.entries(texts).flatMap(([name, text]): [string, string][] => {
    const key = `${path}${name}`;
    if (typeof text === 'function') return [[key, text('<1>', '<2>', '<3>')]];
    return typeof text === 'string' ? [[key, text]] : leavesOf(text, `${key}.`);
  });
}

const markers = (text: string) => [...text.matchAll(/<\d>/g)].map(([marker]) => marker).sort();
const english = Object.fromEntries(leavesOf(LANGUAGES.en));
/** Texts that are the same word in several languages. */
const SAME = ['code', 'name', 'passkeys', 'sessions', 'password', 'email'];

it.each(Object.entries(LANGUAGES))('%s has every text, with the same values in it', (language, texts) => {
  const leaves = leavesOf(texts);
  expect(leaves.map(([key]) => key)).toEqual(Object.keys(english));
  for (const [key, text] of leaves) {
    expect(text.trim(), `${language} ${key}`).not.toBe('');
    expect(markers(text), `${language} ${key}`).toEqual(markers(english[key] ?? ''));
  }
  if (language === 'en') return;
  const untranslated = leaves.filter(([key, text]) => text === english[key] && !SAME.includes(key));
  expect(untranslated).toEqual([]);
});
