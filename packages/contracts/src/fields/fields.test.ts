import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  anyJson,
  base64url,
  day,
  emailAddress,
  exactJson,
  id,
  int32,
  int64,
  languageTag,
  name as nameOf,
  nonBlankText,
  text,
  timestamp,
  uint32,
} from './fields.ts';
import { wellFormedJson } from './json.ts';

const takes = (schema: { safeParse(value: unknown): { success: boolean } }, value: unknown) =>
  schema.safeParse(value).success;

describe('a text', () => {
  const name = text({ min: 1, max: 200 });

  test('measures a text in code points: 200 emoji are 200 characters', () => {
    expect(takes(name, '🎉'.repeat(200))).toBe(true);
    expect(takes(name, '🎉'.repeat(201))).toBe(false);
    expect(takes(name, 'a'.repeat(200))).toBe(true);
    expect(takes(name, 'a'.repeat(201))).toBe(false);
    expect(takes(name, '')).toBe(false);
  });

  test('measures the length of any text as counting its code points does', () => {
    const unit = fc.constantFrom('a', 'é', '漢', '🎉', '👍');
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 12 }), fc.nat(12), (characters, max) => {
        expect(takes(text({ max }), characters.join(''))).toBe(characters.length <= max);
      }),
    );
  });

  test('refuses a text with NUL or an unpaired surrogate', () => {
    expect(takes(name, 'a\0b')).toBe(false);
    expect(takes(name, 'a\uD83C')).toBe(false);
  });

  test('keeps a text byte for byte', () => {
    expect(text({ max: 10 }).parse('  a\n')).toBe('  a\n');
  });

  test('refuses white space for a text that must not be blank', () => {
    expect(takes(nonBlankText(10), ' \n\t')).toBe(false);
    expect(takes(nonBlankText(10), ' a ')).toBe(true);
    for (const blank of ['', ' ', '\t\n', '\u00A0\u2003']) expect(takes(id, blank)).toBe(false);
    expect(takes(id, ' a ')).toBe(true);
  });
});

describe('a name', () => {
  test.each(['Ada', 'Größe 日本 😀', "d'Arc & Söhne (GmbH)", 'שלום', ' a '])(
    'accepts the name %j',
    (value) => {
      expect(takes(nameOf(200), value)).toBe(true);
    },
  );
  test.each([
    ' ',
    'a\nb',
    'a\r\nBcc: x',
    'a\tb',
    'a\u001b[31m',
    'a\u0085b',
    'a\u2028b',
    'a\u202eb',
    'a\u2066b',
    'a\u200fb',
  ])('refuses the name %j', (value) => {
    expect(takes(nameOf(200), value)).toBe(false);
  });
});

describe('an email address', () => {
  test.each([
    'ada@example.com',
    "o'brien+news@mail.example.co.uk",
    'müller@köln.example',
    '用户@例子.广告',
    'почта@пример.рф',
    'ada@xn--kln-sna.xn--p1ai',
    'x#y@example.com',
  ])('accepts the email address %s', (value) => {
    expect(takes(emailAddress, value)).toBe(true);
  });
  test.each([
    '',
    'ada',
    'ada@',
    '@example.com',
    'ada@localhost',
    'ada@example.c',
    'a b@example.com',
    'ada@exa mple.com',
    'ada@example.com\nBcc: x@example.com',
    'ada\u202e@example.com',
    'ada\0@example.com',
    '.ada@example.com',
    'ada.@example.com',
    'a..b@example.com',
    'ada@-example.com',
    'ada@example..com',
    'ada@example.com, eve@example.com',
    '<ada@example.com>',
    `${'a'.repeat(65)}@example.com`,
    `a@${'b'.repeat(320)}.com`,
  ])('refuses the email address %j', (value) => {
    expect(takes(emailAddress, value)).toBe(false);
  });
});

test('refuses integers that JSON parsers round, at any depth', () => {
  for (const value of [2 ** 53, -(2 ** 53), 1e300, [1, [2 ** 60]], { a: { b: 2 ** 53 } }]) {
    expect(takes(exactJson, value)).toBe(false);
  }
  for (const value of [2 ** 53 - 1, 1 - 2 ** 53, 0.1, 1.5e-300, '9007199254740993', null, [1, { a: 2 }]]) {
    expect(takes(exactJson, value)).toBe(true);
  }
  expect(exactJson.safeParse({ a: [1, 2 ** 53] }).error?.issues[0]?.path).toEqual(['a', 1]);
});

test('accepts an id of 1 to 200 characters that is not only white space', () => {
  for (const value of ['a', ' a ', '🎉'.repeat(200)]) expect(takes(id, value)).toBe(true);
  for (const value of ['', ' ', '\t\n', '\u00a0\u3000', '🎉'.repeat(201), 'a\0']) {
    expect(takes(id, value)).toBe(false);
  }
});

describe('a day', () => {
  test.each(['2026-02-28', '2024-02-29', '2000-02-29', '2026-12-31'])('accepts the day %s', (value) => {
    expect(takes(day, value)).toBe(true);
  });
  test.each([
    '2026-02-30',
    '2026-02-29',
    '1900-02-29',
    '2026-13-01',
    '2026-04-31',
    '2026-4-1',
    '2026-04-01T00:00:00Z',
  ])('refuses the day %s', (value) => {
    expect(takes(day, value)).toBe(false);
  });
});

describe('a timestamp', () => {
  test.each([
    '2026-03-01T09:30:00Z',
    '2026-03-01T09:30:00.123456789+05:30',
    '2026-03-01t09:30:00z',
    '2024-02-29T23:59:59-23:59',
  ])('accepts the timestamp %s', (value) => {
    expect(takes(timestamp, value)).toBe(true);
  });
  test.each([
    '2026-03-01T09:30Z',
    '2026-03-01T09:30:00',
    '2026-03-01 09:30:00Z',
    '2026-03-01T24:00:00Z',
    '2026-03-01T09:60:00Z',
    '2026-02-30T09:30:00Z',
    '1900-02-29T09:30:00Z',
    '2026-03-01T09:30:00+24:00',
    ' 2026-03-01T09:30:00Z',
    '2026-03-01T09:30:00Z\n',
    '1772357400000',
    '0000-12-31T23:59:59Z',
    '0001-01-01T00:30:00+01:00',
    '9999-12-31T23:30:00-01:00',
    '2026-03-01T09:30:60Z',
    '2016-12-31T23:59:60+01:00',
    '2016-12-31T23:59:61Z',
  ])('refuses the timestamp %j', (value) => {
    expect(takes(timestamp, value)).toBe(false);
  });

  test.each([
    ['2016-12-31T23:59:60Z', '2016-12-31T23:59:59Z'],
    ['2017-01-01T05:29:60.25+05:30', '2017-01-01T05:29:59.25+05:30'],
    ['1960-12-31T23:59:60z', '1960-12-31T23:59:59z'],
    ['0001-01-01T01:00:00+01:00', '0001-01-01T01:00:00+01:00'],
    ['9999-12-31T22:59:59-01:00', '9999-12-31T22:59:59-01:00'],
  ])('reads the timestamp %s as %s', (sent, taken) => {
    expect(timestamp.parse(sent)).toBe(taken);
  });

  test('accepts a timestamp exactly when its day exists on the calendar', () => {
    const part = (min: number, max: number) => fc.integer({ min, max });
    fc.assert(
      fc.property(part(1, 9999), part(1, 12), part(1, 31), (year, month, dayOfMonth) => {
        const pad = (value: number, digits: number) => String(value).padStart(digits, '0');
        const written = `${pad(year, 4)}-${pad(month, 2)}-${pad(dayOfMonth, 2)}`;
        const instant = new Date(`${written}T00:00:00.000Z`);
        const exists = instant.toISOString().startsWith(written);
        expect(takes(timestamp, `${written}T00:00:00.000Z`)).toBe(exists);
      }),
      { numRuns: 2000 },
    );
  });

  test('accepts only timestamps that Date can read', () => {
    const offset = fc.constantFrom('Z', 'z', '+00:00', '-00:00', '+23:59', '-11:30');
    fc.assert(
      fc.property(
        fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }),
        offset,
        (date, zone) => {
          const written = date.toISOString().replace('Z', zone);
          expect(takes(timestamp, written)).toBe(true);
          expect(Date.parse(written)).not.toBeNaN();
        },
      ),
    );
  });
});

test('bounds integers', () => {
  expect(takes(uint32, 4_294_967_295)).toBe(true);
  expect(takes(uint32, 4_294_967_296)).toBe(false);
  expect(takes(uint32, -1)).toBe(false);
  expect(takes(uint32, 1.5)).toBe(false);
  expect(takes(int32, 2_147_483_647)).toBe(true);
  expect(takes(int32, 2_147_483_648)).toBe(false);
  expect(takes(int64, Number.MAX_SAFE_INTEGER)).toBe(true);
  expect(takes(int64, Number.MAX_SAFE_INTEGER + 1)).toBe(false);
});

test('requires a language tag to be well-formed BCP 47', () => {
  for (const tag of ['en', 'pt-BR', 'zh-Hant-TW', 'DE', 'de-CH-1996'])
    expect(takes(languageTag, tag)).toBe(true);
  for (const tag of ['', 'e', 'en_GB', 'en-', '*', 'en,de', 'a-very-long-subtagx']) {
    expect(takes(languageTag, tag)).toBe(false);
  }
});

test('requires base64url text to encode an exact number of bytes', () => {
  const bytes = (count: number) => Buffer.alloc(count, 7).toString('base64url');
  expect(takes(base64url(65), bytes(65))).toBe(true);
  expect(takes(base64url(65), `${bytes(65)}=`)).toBe(true);
  expect(takes(base64url(65), bytes(64))).toBe(false);
  expect(takes(base64url(16), `${bytes(16)}==`)).toBe(true);
  expect(takes(base64url(16), bytes(17))).toBe(false);
  expect(takes(base64url(16), `${bytes(16)}===`)).toBe(false);
});

describe('an arbitrary JSON value', () => {
  test('accepts null but not undefined as a JSON value', () => {
    for (const value of [null, 0, '', false, [], {}]) expect(takes(anyJson, value)).toBe(true);
    expect(takes(anyJson, undefined)).toBe(false);
  });

  test('accepts JSON values nested up to 64 levels', () => {
    const nested = (levels: number) => JSON.parse('['.repeat(levels) + ']'.repeat(levels));
    expect(takes(anyJson, nested(64))).toBe(true);
    expect(takes(anyJson, nested(65))).toBe(false);
    expect(takes(anyJson, nested(100_000))).toBe(false);
  });

  test('refuses NUL in the values and names of a JSON value', () => {
    expect(takes(anyJson, { a: ['x\0'] })).toBe(false);
    expect(takes(anyJson, { 'a\0': 1 })).toBe(false);
  });
});

describe('well-formed JSON for every reader', () => {
  test.each([
    [{ text: 'Pay \ud83d', plan: 'pro' }, '{"text":"Pay \ufffd","plan":"pro"}'],
    [{ '\udc00': [{ a: '\ud800\ud800' }] }, '{"\ufffd":[{"a":"\ufffd\ufffd"}]}'],
    [{ '\ud83d': 1, '\ud83e': 2 }, '{"\ufffd":2}'],
    [
      { path: String.raw`\ud83d \\ud83d`, emoji: '😀' },
      String.raw`{"path":"\\ud83d \\\\ud83d","emoji":"😀"}`,
    ],
  ])('writes well-formed JSON for %j', (value, json) => {
    expect(wellFormedJson(value)).toBe(json);
  });

  test('keeps a property named __proto__ in JSON', () => {
    const json = '{"__proto__":"\\ud83d","a":1}';
    expect(wellFormedJson(JSON.parse(json))).toBe('{"__proto__":"\ufffd","a":1}');
  });

  test('writes a well-formed value as JSON.stringify does', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'grapheme' }), (value) => {
        expect(wellFormedJson(value)).toBe(JSON.stringify(value));
      }),
    );
  });
});
