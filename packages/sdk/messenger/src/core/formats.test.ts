import { describe, expect, it } from 'vitest';
import { formatOf, isAnimated } from './formats.ts';

const fileOf = (...parts: (string | number[])[]) =>
  new Blob(parts.map((part) => new Uint8Array(typeof part === 'string' ? [...part].map(codeOf) : part)));
const codeOf = (character: string) => character.codePointAt(0) ?? 0;

describe('the type of a file', () => {
  it.each([
    ['image/png', '\x89PNG\r\n\x1a\n'],
    ['image/jpeg', '\xff\xd8\xff\xe0'],
    ['image/gif', 'GIF89a'],
    ['image/webp', 'RIFF\n\0\0\0WEBPVP8 '],
    ['application/pdf', '%PDF-1.7'],
    ['application/pdf', '\xef\xbb\xbf\r\n %PDF-1.7'],
  ])('returns %s for the bytes %j', async (type, bytes) => expect(await formatOf(fileOf(bytes))).toBe(type));

  it.each(['', 'no picture', '<svg/>', 'RIFF\0\0\0\0AVI ', '<html>%PDF-1.7', `${' '.repeat(1024)}%PDF-1.7`])(
    'returns no type for the bytes %j',
    async (bytes) => expect(await formatOf(fileOf(bytes))).toBeUndefined(),
  );
});

const webp = (flags: number) => fileOf('RIFF\x20\0\0\0WEBPVP8X\x0a\0\0\0', [flags, 0, 0, 0]);
const chunk = (type: string, length = 4) => [[0, 0, 0, length], type, Array(length + 4).fill(0)].flat();
const png = (...chunks: ReturnType<typeof chunk>[]) =>
  fileOf('\x89PNG\r\n\x1a\n', ...chunks.flat().map((part) => (typeof part === 'number' ? [part] : part)));

describe('animated pictures', () => {
  it.each([
    ['a GIF', 'image/gif', fileOf('GIF89a'), true],
    ['a WebP with the flag of an animation', 'image/webp', webp(0x02), true],
    ['a WebP with other flags', 'image/webp', webp(0x3c), false],
    [
      'a WebP without a header for flags',
      'image/webp',
      fileOf('RIFF\x20\0\0\0WEBPVP8 \x0a\0\0\0\x02'),
      false,
    ],
    ['a PNG with acTL', 'image/png', png(chunk('IHDR', 13), chunk('acTL', 8), chunk('IDAT')), true],
    [
      'a PNG with acTL after its image',
      'image/png',
      png(chunk('IHDR', 13), chunk('IDAT'), chunk('acTL', 8)),
      false,
    ],
    ['a PNG', 'image/png', png(chunk('IHDR', 13), chunk('tEXt', 40), chunk('IDAT')), false],
    ['a PNG that is cut off', 'image/png', png(chunk('IHDR', 13)), false],
    ['a JPEG', 'image/jpeg', fileOf('\xff\xd8\xff'), false],
  ])('detects whether a picture is animated: %s', async (_, type, file, moves) =>
    expect(await isAnimated(file, type)).toBe(moves),
  );
});
