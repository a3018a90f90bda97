import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { gif, jpeg, pdf, png, svg, webp, webpExtended, webpLossy } from '../testing/files.ts';
import { detectFormat } from './format.ts';

const samples = [
  ['image/png', png()],
  ['image/gif', gif()],
  ['image/jpeg', jpeg()],
  ['image/webp', webp()],
  ['image/webp', webpLossy()],
  ['image/webp', webpExtended()],
  ['application/pdf', pdf],
] as const;

test.each(samples)('detects %s by its bytes', (type, bytes) => {
  expect(detectFormat(bytes)).toBe(type);
});

test.each([
  ['a byte order mark', '\xef\xbb\xbf'],
  ['a line break', '\n'],
  ['line breaks and spaces', '\r\n \t\f'],
  ['a byte order mark and a line break', '\xef\xbb\xbf\r\n'],
  ['1,000 spaces', ' '.repeat(1000)],
])('accepts a PDF after %s', (_, before) => {
  expect(detectFormat(Buffer.concat([Buffer.from(before, 'latin1'), pdf]))).toBe('application/pdf');
});

/** Returns a JPEG with these bytes between two of its segments: after the first, or before the scan. */
function strayIn(stray: Buffer, at: 'first' | 'last', image = jpeg(40, 30)): Buffer {
  const place = at === 'first' ? 20 : image.indexOf(Buffer.from([0xff, 0xda]));
  return Buffer.concat([image.subarray(0, place), stray, image.subarray(place)]);
}

describe.each(['first', 'last'] as const)('a JPEG with stray bytes at its %s place', (place) => {
  test.each(['00', '00e1000841424344', 'ff00', 'ff01', 'ffd0', 'ffffff', '0000000000', '0aff00ff01'])(
    'accepts the stray bytes %s in a JPEG',
    (stray) => expect(detectFormat(strayIn(Buffer.from(stray, 'hex'), place))).toBe('image/jpeg'),
  );

  test.each([
    ['the start of another image', 'ffd8'],
    ['the end of the image', 'ffd9'],
    ['a reserved marker', 'ff02'],
    ['a segment that is longer than the file', 'ffe1ffff'],
  ])('rejects a JPEG with %s', (_, stray) =>
    expect(detectFormat(strayIn(Buffer.from(stray, 'hex'), place))).toBeUndefined(),
  );

  test('rejects more than 64 KiB of stray bytes in a JPEG', () => {
    expect(detectFormat(strayIn(Buffer.alloc(65_536), place))).toBe('image/jpeg');
    expect(detectFormat(strayIn(Buffer.alloc(65_537), place))).toBeUndefined();
  });
});

describe('unaccepted formats', () => {
  test.each([
    ['nothing', Buffer.alloc(0)],
    ['text', Buffer.from('hello')],
    ['HTML', Buffer.from('<!doctype html><script>alert(1)</script>')],
    ['SVG', svg],
    ['HTML with a GIF header', Buffer.from('GIF89a<html><script>alert(1)</script></html>')],
    ['a script with a GIF header', Buffer.from('GIF89a=1;/*..............*/alert(1)')],
    ['HTML with a PNG header', Buffer.concat([png().subarray(0, 8), Buffer.from('<html>'.repeat(20))])],
    [
      'HTML with a JPEG header',
      Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), Buffer.from('<html>'.repeat(20))]),
    ],
    ['HTML with a WebP header', Buffer.from(`RIFF\0\0\0\0WEBPVP8 ${'<html>'.repeat(20)}`)],
    ['a PDF after a line of HTML', Buffer.concat([Buffer.from('<html>\n'), pdf])],
    ['a PDF after white space and HTML', Buffer.concat([Buffer.from(' \n<html>'), pdf])],
    ['a PDF after two byte order marks', Buffer.concat([Buffer.from('\ufeff\ufeff'), pdf])],
    ['a PDF after more white space than viewers skip', Buffer.concat([Buffer.alloc(1020, ' '), pdf])],
    [
      'HTML before the first segment of a JPEG',
      Buffer.concat([Buffer.from('ffd8', 'hex'), Buffer.from('<html>'), jpeg().subarray(2)]),
    ],
    ['a PDF without a version', Buffer.from('%PDF-x.y\n')],
    ['a zip', Buffer.from('504b0304140000000800', 'hex')],
    ['a PNG with a wrong header checksum', corrupt(png(), 29)],
    ['a PNG without pixels', png(0, 1)],
    ['a GIF without pixels', gif(1, 0)],
    ['a JPEG without pixels', jpeg(0, 1)],
    ['a JPEG with two frames', Buffer.concat([jpeg().subarray(0, 102), jpeg().subarray(89)])],
  ])('rejects %s', (_, bytes) => {
    expect(detectFormat(bytes)).toBeUndefined();
  });
});

test('accepts an image of 50 million pixels, and rejects a larger one by its header', () => {
  for (const make of [png, gif, jpeg, webpLossy]) {
    expect(detectFormat(make(10_000, 5000))).toBeDefined();
    expect(detectFormat(make(10_000, 5001))).toBeUndefined();
  }
  for (const make of [png, gif, jpeg, webpExtended])
    expect(detectFormat(make(50_000, 50_000))).toBeUndefined();
  expect(detectFormat(webp(16_384, 16_384))).toBeUndefined();
});

test.each(samples.slice(0, 6))('rejects a %s with a truncated header', (_, bytes) => {
  const first = detectFormat(bytes);
  let shortest = bytes.length;
  while (shortest > 0 && detectFormat(bytes.subarray(0, shortest - 1)) === first) shortest--;
  expect(shortest).toBeGreaterThan(12);
  for (let length = 0; length < shortest; length++) {
    expect(detectFormat(bytes.subarray(0, length))).toBeUndefined();
  }
});

test('ends detection without an error for any bytes', () => {
  const heads = samples.map(([, bytes]) => fc.constant(bytes));
  const changed = fc
    .tuple(fc.oneof(...heads), fc.array(fc.tuple(fc.nat(80), fc.nat(255)), { maxLength: 6 }), fc.nat(100))
    .map(([bytes, changes, cut]) => {
      const copy = Buffer.from(bytes);
      for (const [at, value] of changes) copy[at % copy.length] = value;
      return copy.subarray(0, Math.max(0, copy.length - cut));
    });
  const any = fc.uint8Array({ maxLength: 500 }).map((bytes) => Buffer.from(bytes));
  fc.assert(
    fc.property(fc.oneof(changed, any), (bytes) => {
      expect(() => detectFormat(bytes)).not.toThrow();
    }),
    { numRuns: 5000 },
  );
});

function corrupt(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
}
