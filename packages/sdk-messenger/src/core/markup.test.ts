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

it('makes text of everything else', () => {
  expect(parseMarkup('<script>1</script>')).toEqual(['<script>1</script>']);
  expect(parseMarkup('<img src=x onerror=1>')).toEqual(['<img src=x onerror=1>']);
  expect(parseMarkup('<a href="javascript:1">x</a></b>')).toEqual([
    { tag: 'a', href: undefined, pieces: ['x'] },
  ]);
  expect(parseMarkup('<b>open')).toEqual([b('open')]);
});

it('finds the addresses in a text', () => {
  expect(linked('See https://x.example/a(b), please.')).toEqual([
    'See ',
    { tag: 'a', href: 'https://x.example/a(b', pieces: ['https://x.example/a(b'] },
    '), please.',
  ]);
  expect(linked('javascript:alert(1)')).toEqual(['javascript:alert(1)']);
});
