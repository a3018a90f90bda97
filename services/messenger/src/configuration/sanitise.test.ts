import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sanitisePrompt } from './sanitise.ts';

test('keeps the inline markup of a starter prompt', () => {
  const html =
    'Ask <a href="https://x.test/?a=1&amp;b=2">us</a>, <b>b</b> <strong>s</strong> <i>i</i> <em>e</em> <code>c</code><br />';
  expect(sanitisePrompt(html)).toBe(html);
  expect(sanitisePrompt('<a href="mailto:a@x.test">mail</a>')).toBe('<a href="mailto:a@x.test">mail</a>');
});

test.each([
  ['<script>alert(1)</script>x', 'x'],
  ['<img src=x onerror=alert(1)>x', 'x'],
  ['<b onclick="alert(1)" style="x" class="y">x</b>', '<b>x</b>'],
  ['<a href="javascript:alert(1)">x</a>', '<a>x</a>'],
  ['<a href="JaVa&#x09;script:alert(1)">x</a>', '<a>x</a>'],
  ['<a href="data:text/html,x">x</a>', '<a>x</a>'],
  ['<a href="//evil.test">x</a>', '<a>x</a>'],
  ['<a href="/relative">x</a>', '<a>x</a>'],
  ['<a href="https://x.test" target="_blank" onmouseover="x">x</a>', '<a href="https://x.test">x</a>'],
  ['<svg><a href="https://x.test">x</a></svg>', '<a href="https://x.test">x</a>'],
  ['<div>x</div><style>b{}</style>', 'x'],
  ['<b>unclosed', '<b>unclosed</b>'],
  ['1 < 2 & 3', '1 &lt; 2 &amp; 3'],
])('turns %s into %s', (html, clean) => {
  expect(sanitisePrompt(html)).toBe(clean);
});

test('keeps clean HTML unchanged, and only allowed tags of any HTML', () => {
  const piece = fc.constantFrom(
    '<',
    '>',
    '"',
    "'",
    'a',
    '/',
    ' href=',
    'script',
    'javascript:',
    '<b',
    'svg',
    '=',
    '&',
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, fc.string()), { maxLength: 20 }), (pieces) => {
      const clean = sanitisePrompt(pieces.join(''));
      expect(sanitisePrompt(clean)).toBe(clean);
      for (const [, tag] of clean.matchAll(/<\/?([^\s>/]*)/g)) {
        expect(['a', 'b', 'strong', 'i', 'em', 'code', 'br']).toContain(tag);
      }
    }),
  );
});
