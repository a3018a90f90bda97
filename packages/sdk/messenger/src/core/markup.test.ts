import { expect, it } from 'vitest';
import { linked, parseMarkup } from './markup.ts';

const b = (...pieces: string[]) => ({ tag: 'b', href: undefined, pieces });

it('reads the elements of a starter prompt', () => {
  expect(parseMarkup('Where is <b>my order</b>?')).toEqual(['Where is ', b('my order'), '?']);
  expect(parseMarkup('a<br>b &amp; <B>c</B>')).toEqual(['a', '\n', 'b ', '&', ' ', b('c')]);
  expect(parseMarkup('<a href="https://x.example/?a&amp;b">x</a>')).toEqual([
    { tag: 'a', href: 'https://x.example/?a&b', pieces: ['x'] },
  ]);
});

it('renders everything else as text', () => {
  expect(parseMarkup('<script>1</script>')).toEqual(['<script>1</script>']);
  expect(parseMarkup('<img src=x onerror=1>')).toEqual(['<img src=x onerror=1>']);
  expect(parseMarkup('<a href="javascript:1">x</a></b>')).toEqual([
    { tag: 'a', href: undefined, pieces: ['x'] },
  ]);
  expect(parseMarkup('<b>open')).toEqual([b('open')]);
});

/** Returns the URLs that are found in a text, after checking that the pieces form the text. */
function addressesIn(text: string): string[] {
  const pieces = linked(text);
  expect(pieces.map((piece) => (typeof piece === 'string' ? piece : piece.pieces.join(''))).join('')).toBe(
    text,
  );
  return pieces.flatMap((piece) => (typeof piece === 'string' ? [] : [piece.href ?? '']));
}

it.each([
  ['See https://x.example/a(b), please.', 'https://x.example/a(b)'],
  [
    'https://en.wikipedia.org/wiki/Rust_(programming_language)',
    'https://en.wikipedia.org/wiki/Rust_(programming_language)',
  ],
  ['(https://x.example/a_(b))', 'https://x.example/a_(b)'],
  ['[docs](https://x.example/a).', 'https://x.example/a'],
  ['[https://x.example/a?b[]=c]', 'https://x.example/a?b[]=c'],
  ['{https://x.example/{a}}', 'https://x.example/{a}'],
  ['https://x.example/a(', 'https://x.example/a'],
  ['https://x.example/a/?b=c#d!', 'https://x.example/a/?b=c#d'],
  ["'https://x.example/a', he said", 'https://x.example/a'],
  ['“https://x.example/a”', 'https://x.example/a'],
  ['„https://x.example/a“', 'https://x.example/a'],
  ['«https://x.example/a»', 'https://x.example/a'],
  ['‹https://x.example/a›', 'https://x.example/a'],
  ['‘https://x.example/a’s', 'https://x.example/a'],
  ['<https://x.example/a>', 'https://x.example/a'],
  ['https://x.example/a…', 'https://x.example/a'],
  ['https://x.example/a، ثم', 'https://x.example/a'],
  ['\u2066https://x.example/a\u2069.', 'https://x.example/a'],
  ['詳細はhttps://x.example/aをご覧ください。', 'https://x.example/a'],
  ['詳細はhttps://x.example/をご覧ください。', 'https://x.example/'],
  ['https://x.example/a。次', 'https://x.example/a'],
  ['https://x.example/a，然后', 'https://x.example/a'],
  ['请看https://x.example/a查看', 'https://x.example/a'],
  ['（https://x.example/a）', 'https://x.example/a'],
  ['「https://x.example/a」', 'https://x.example/a'],
  ['【https://x.example/a】', 'https://x.example/a'],
  ['https://x.example/a를 보세요', 'https://x.example/a'],
  ['https://x.example/aカタカナ', 'https://x.example/a'],
  ['https://日本語.example/a', 'https://日本語.example/a'],
  ['https://ru.wikipedia.org/wiki/Россия.', 'https://ru.wikipedia.org/wiki/Россия'],
  ['https://x.example/%E6%97%A5', 'https://x.example/%E6%97%A5'],
  ['https://x.example/\u{1f680}!', 'https://x.example/\u{1f680}'],
])('finds the address in %s', (text, address) => expect(addressesIn(text)).toEqual([address]));

it.each(['javascript:alert(1)', 'https://', 'https://.', 'https://。', 'xhttps://a.example', 'HTTPS'])(
  'finds no address in %s',
  (text) => expect(linked(text)).toEqual([text]),
);

it('finds each of several addresses, in time proportional to the text', () => {
  expect(addressesIn('https://a.example、https://b.example/(c)とhttps://d.example。')).toEqual([
    'https://a.example',
    'https://b.example/(c)',
    'https://d.example',
  ]);
  const long = `https://x.example/${'(.'.repeat(5_000)}`;
  expect(addressesIn(long)).toEqual(['https://x.example/']);
});
