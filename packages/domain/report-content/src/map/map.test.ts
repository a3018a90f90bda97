import { describe, expect, it } from 'vitest';
import { parseContent } from '../content.ts';
import { csvOf } from '../csv.ts';
import { tableOf } from '../table.ts';
import { classAt, classesOf, className } from './classes.ts';
import { countryNames } from './countries.ts';
import { drawMap } from './map.ts';
import { SHAPES } from './shapes.ts';

function mapOf(report: object) {
  const content = parseContent({ kind: 'line', display: 'map', breakdown: 'country', ...report });
  if (content?.kind !== 'line') throw new Error('no map');
  return content;
}
const buckets = ['2026-03-01 – 2026-03-31'];
const series = [
  { name: 'DE', values: [40], previous: [30] },
  { name: 'SG', values: [2], previous: [null] },
  { name: 'Germany', values: [3], previous: [3] },
  { name: 'toString', values: [1], previous: [0] },
  { name: 'FR', values: [500], previous: [0] },
  { name: 'IT', values: [null], previous: [0] },
  { name: 'Other', builtIn: 'other', values: [7], previous: [0] },
];

describe('a map', () => {
  it('draws countries by code, small ones as dots, and no other values', () => {
    const { countries, left, others } = drawMap(mapOf({ buckets, series }));
    expect(countries.map(({ code, value, previous, isDot }) => [code, value, previous, isDot])).toEqual([
      ['FR', 500, 0, false],
      ['DE', 40, 30, false],
      ['SG', 2, null, true],
    ]);
    expect(countries[1]).toMatchObject({ d: SHAPES['DE'], series: 0 });
    expect(countries[2]?.d).toMatch(/^M\d+ \d+h0$/);
    expect(left).toBe(3);
    expect(others).toContain(SHAPES['IT']);
    expect(others).not.toContain(SHAPES['DE']);
  });

  it('does not take a series of another kind for a country, although its name is a code', () => {
    expect(
      drawMap(mapOf({ buckets, series: [{ name: 'DE', builtIn: 'other', values: [1] }] })),
    ).toMatchObject({ countries: [], left: 1, classes: [] });
  });

  it('draws totals of reports over several intervals', () => {
    const over = { buckets: ['2026-03-01', '2026-03-02'], series: [{ name: 'DE', values: [1, 4] }] };
    expect(drawMap(mapOf(over)).countries).toMatchObject([{ code: 'DE', value: 5 }]);
    expect(tableOf(mapOf(over))).toMatchObject({
      columns: [{ name: '2026-03-01 – 2026-03-02' }],
      rows: [{ name: 'DE', values: [5] }],
    });
  });

  it('is a table of codes with their values, and with a total where values add up', () => {
    const table = tableOf(mapOf({ buckets, series: series.slice(0, 3) }));
    expect(table).toMatchObject({ corner: 'country', hasCountries: true });
    expect(csvOf(table)).toBe(
      [
        '"country","2026-03-01 – 2026-03-31","2026-03-01 – 2026-03-31, previous period"',
        '"DE",40,30\r\n"SG",2,\r\n"Germany",3,3\r\n',
      ].join('\r\n'),
    );
    expect(table.totals).toEqual({ name: 'Total', values: [45, 33] });
    const people = [{ name: 'DE', values: [40], total: null }];
    expect(tableOf(mapOf({ buckets, series: people }))).toMatchObject({
      rows: [{ values: [40] }],
      totals: undefined,
    });
  });
});

describe('the classes of values', () => {
  const named = (values: number[]) => classesOf(values).map((one) => className(one, String));

  it.each([
    [
      'grow with values that differ widely',
      [1, 3, 40, 9000],
      ['1 – 4', '5 – 49', '50 – 199', '200 – 1999', '2000 – 9000'],
    ],
    ['are even for values that are close', [31, 38, 44], ['31 – 34', '35 – 39', '40 – 44']],
    ['end with the largest value', [10, 20, 30, 40, 50], ['10 – 19', '20 – 29', '30 – 39', '40 – 49', '50']],
    ['have decimals where values do', [0.1, 0.25, 0.4], ['0.1 – 0.2', '0.2 – 0.3', '0.3 – 0.4']],
    ['include negative values', [-50, 0, 48], ['-50 – -1', '0 – 48']],
    [
      'begin with zero without counting it',
      [0, 1, 1000],
      ['0 – 4', '5 – 19', '20 – 49', '50 – 199', '200 – 1000'],
    ],
    ['are one for equal values', [7, 7], ['7']],
    ['are one for zeros', [0, 0], ['0']],
    ['are none without values', [], []],
  ])('%s', (_rule, values, expected) => {
    expect(named(values)).toEqual(expected);
  });

  it('take colours that are far apart if they are few', () => {
    const colours = (values: number[]) => classesOf(values).map(({ colour }) => colour);
    expect(colours([1, 3, 40, 9000])).toEqual([1, 2, 3, 4, 5]);
    expect(colours([31, 38, 44])).toEqual([1, 3, 5]);
    expect(colours([1, 2])).toEqual([1, 5]);
    expect(colours([7])).toEqual([3]);
  });

  it('hold every value, at most five of them', () => {
    for (const values of [
      [1e-9, 3e300],
      [-1e308, 1e308],
      [1, 1 + 2 ** -50],
      [0.1, 0.3, 1 / 3],
      [1, 12],
    ]) {
      const classes = classesOf(values);
      expect(classes.length).toBeLessThanOrEqual(5);
      for (const value of values) {
        const { from, to } = classAt(classes, value);
        expect(from).toBeLessThanOrEqual(value);
        expect(to).toBeGreaterThanOrEqual(value);
      }
    }
  });
});

describe('the names of countries', () => {
  it('are in the language of the reader, and leave other texts as they are', () => {
    const [english, german, japanese] = ['en', 'de', 'ja'].map(countryNames);
    expect([english?.('DE'), german?.('DE'), japanese?.('DE')]).toEqual(['Germany', 'Deutschland', 'ドイツ']);
    expect(german?.('AQ')).toBe('Antarktis');
    for (const text of ['UK', 'SU', 'XX', 'de', 'Germany', '', '001', 'Other'])
      expect(german?.(text)).toBe(text);
  });
});
