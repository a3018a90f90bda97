import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseInstant } from './instant.ts';
import { numeric } from './numeric.ts';
import { comparisonWith } from './order.ts';
import { compareSemanticVersions, parseSemanticVersion } from './semver.ts';

describe('numeric texts', () => {
  test.each(['0', '-0', '12', '-12.50', '1e3', '1E-3', '0.1'])('the text %s is numeric', (text) => {
    expect(numeric(text)).toBe(Number(text));
  });

  test.each([
    '',
    ' ',
    ' 1',
    '1 ',
    '1\n',
    '+1',
    '007',
    '.5',
    '5.',
    '0x10',
    '1_000',
    '1e999',
    'NaN',
    'Infinity',
  ])('the text %j is not numeric', (text) => expect(numeric(text)).toBeUndefined());

  test('every finite JSON number is parsed back', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        expect(numeric(JSON.stringify(number))).toBe(JSON.parse(JSON.stringify(number)));
      }),
    );
  });
});

describe('semantic versions', () => {
  // The precedence examples of semver.org, section 11, and identifiers too large for a number.
  const ascending = [
    ...['0.9.9', '1.0.0-0', '1.0.0-0.3.7', '1.0.0-2', '1.0.0-11', '1.0.0--1', '1.0.0-alpha', '1.0.0-alpha.1'],
    ...['1.0.0-alpha.beta', '1.0.0-beta', '1.0.0-beta.2', '1.0.0-beta.11', '1.0.0-rc.1', '1.0.0'],
    ...['2.0.0', '2.1.0', '2.1.1', '2.1.9007199254740992', '2.1.9007199254740993', '10.0.0'],
  ];

  test('semantic versions are ordered by section 11 of semver.org', () => {
    for (const [index, version] of ascending.entries()) {
      for (const [otherIndex, other] of ascending.entries()) {
        const compare = comparisonWith(other);
        expect(Math.sign(compare?.(version) ?? Number.NaN), `${version} and ${other}`).toBe(
          Math.sign(index - otherIndex),
        );
      }
    }
  });

  test('build metadata of a version has no precedence', () => {
    const [one, other] = [parseSemanticVersion('1.0.0+a'), parseSemanticVersion('1.0.0+b.2')];
    expect(one && other && compareSemanticVersions(one, other)).toBe(0);
  });

  test.each([
    '1',
    '1.2',
    'v1.2.3',
    '01.2.3',
    '1.2.3-',
    '1.2.3-01',
    '1.2.3+',
    '1.2.3-a..b',
    '1.2.3 ',
    '1.2.3-é',
  ])('the text %s is not a semantic version', (text) => expect(parseSemanticVersion(text)).toBeUndefined());
});

describe('instants', () => {
  test('instants are parsed as Date parses ISO strings, for every four-digit year', () => {
    const min = new Date('0000-01-01T00:00:00Z');
    fc.assert(
      fc.property(
        fc.date({ min, max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true }),
        (date) => {
          expect(parseInstant(date.toISOString())).toBe(date.getTime());
          expect(parseInstant(date.toISOString().slice(0, 10))).toBe(Math.floor(+date / 864e5) * 864e5);
        },
      ),
    );
  });

  test.each([
    ['2026-03-01T09:30:00+02:00', '2026-03-01T07:30:00.000Z'],
    ['2026-03-01T09:30-05:30', '2026-03-01T15:00:00.000Z'],
    ['2026-03-01T09:30:00+0200', '2026-03-01T07:30:00.000Z'],
    ['2026-03-01T09:30-0530', '2026-03-01T15:00:00.000Z'],
    ['2026-03-01T09:30:00.1256Z', '2026-03-01T09:30:00.125Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['2000-02-29', '2000-02-29T00:00:00.000Z'],
  ])('the instant %s is %s', (text, iso) => {
    expect(new Date(parseInstant(text) ?? Number.NaN).toISOString()).toBe(iso);
  });

  test.each([
    ...[
      '2026-02-30',
      '2025-02-29',
      '1900-02-29',
      '2026-13-01',
      '2026-00-01',
      '2026-04-31',
      '2026-3-1',
      '2026-03',
    ],
    ...['2026-03-01T09:30:00', '2026-03-01 09:30:00Z', '2026-03-01T24:00Z', '2026-03-01T09:60Z', '20260301'],
    ...[
      '2026-03-01T09:30:60Z',
      '2026-03-01T09:30Z ',
      '2026-03-01T09:30+2',
      '2026-03-01T09:30+24:00',
      'today',
    ],
  ])('the text %s is not an instant', (text) => {
    expect(parseInstant(text)).toBeUndefined();
  });
});

test('values of different kinds do not compare', () => {
  const comparable: unknown[] = [12, '1.2.3', '2026-03-01'];
  const values = [...comparable, 'text', true, null, undefined, [12], { a: 1 }];
  for (const value of values) {
    for (const attribute of values) {
      const order = value === attribute && comparable.includes(value) ? 0 : Number.NaN;
      expect(comparisonWith(value)?.(attribute) ?? Number.NaN).toBe(order);
    }
  }
});
