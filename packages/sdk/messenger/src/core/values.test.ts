import { expect, it } from 'vitest';
import { endOf, sendable, startOf } from './values.ts';

const smile = '\u{1f600}';

it.each([
  [`${'x'.repeat(4)}${smile} page`, 5, `xxxx${smile}`],
  [smile.repeat(6), 5, smile.repeat(5)],
  [smile.repeat(3), 5, smile.repeat(3)],
  [`x${smile.repeat(9)}`, 5, `x${smile.repeat(4)}`],
  ['ab\ud83d', 5, 'ab\ufffd'],
  ['\ude00ab', 2, '\ufffda'],
  ['', 5, ''],
])('cuts the start of %j to %d code points', (text, max, start) => expect(startOf(text, max)).toBe(start));

it.each([
  [`${smile.repeat(4)}.jpg`, 5, `${smile}.jpg`],
  [`x${smile.repeat(3)}`, 3, smile.repeat(3)],
  ['\ud83d.jpg', 5, '\ufffd.jpg'],
  ['a.jpg', 180, 'a.jpg'],
])('cuts the end of %j to %d code points', (text, max, end) => expect(endOf(text, max)).toBe(end));

it('leaves a text unchanged that can be sent', () => {
  expect(sendable(`a\0b\ud83dc\ude00${smile}\n`)).toBe(`ab\ufffdc\ufffd${smile}\n`);
});
