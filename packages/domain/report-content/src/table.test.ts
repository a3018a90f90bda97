import { describe, expect, it } from 'vitest';
import { parseContent } from './content.ts';
import { csvOf } from './csv.ts';
import { tableOf } from './table.ts';
import { averagesOf, reportAmount } from './totals.ts';

function contentOf(report: unknown) {
  const content = parseContent(report);
  if (content === undefined) throw new Error('not report content');
  return content;
}
const csv = (report: unknown) => csvOf(tableOf(contentOf(report)));
const amount = (report: object) => {
  const content = contentOf({ kind: 'line', buckets: ['2026-03-01', '2026-03-02'], ...report });
  return 'buckets' in content ? reportAmount(content) : undefined;
};

describe('the table of a report', () => {
  it('contains every value, with the names of the report', () => {
    expect(
      csv({
        kind: 'line',
        buckets: ['2026-03-02', '2026-03-09'],
        series: [{ name: 'Web, mobile', values: [1, null], previous: [0.5, -3] }],
      }),
    ).toBe(
      '"Week of","Web, mobile","Web, mobile, previous period"\r\n"2026-03-02",1,0.5\r\n"2026-03-09",,-3\r\n',
    );
    expect(
      csv({
        kind: 'funnel',
        steps: [
          { name: 'Seen', count: 200, medianSeconds: null },
          { name: 'Paid', count: 50, medianSeconds: 90 },
        ],
      }),
    ).toBe(
      '"Step","Count","Share of previous step","Share of first step","Median time"\r\n"Seen",200,,1,\r\n"Paid",50,0.25,0.25,90\r\n',
    );
    expect(
      csv({
        kind: 'funnel',
        steps: [
          { name: 'Seen', count: 200 },
          { name: 'Saved', count: 20, optional: true },
          { name: 'Paid', count: 50 },
        ],
      }),
    ).toBe(
      '"Step","Count","Share of previous step","Share of first step"\r\n"Seen",200,,1\r\n"Saved (optional)",20,0.1,0.1\r\n"Paid",50,0.25,0.25\r\n',
    );
    expect(
      csv({
        kind: 'grid',
        periods: ['Week 0', 'Week 1'],
        rows: [{ name: '2026-03-02', size: 10, values: [100, null] }],
      }),
    ).toBe('"Day","Size","Week 0","Week 1"\r\n"2026-03-02",10,100,\r\n');
  });

  it('prints whole numbers up to 2^53 exactly, and fractions with 15 digits', () => {
    const values = [2 ** 53, 1234567890123, 987777777887.88, 0.1 + 0.2];
    const buckets = values.map((_, index) => `b${index}`);
    const series = [{ name: 'x', values, total: null }];
    expect(csv({ kind: 'bar', buckets, series })).toContain('9007199254740992\r\n');
    expect(csv({ kind: 'bar', buckets, series })).toContain('1234567890123\r\n');
    expect(csv({ kind: 'bar', buckets, series })).toContain('987777777887.88\r\n');
    expect(csv({ kind: 'bar', buckets, series })).toContain(',0.3\r\n');
  });

  it('omits a total that exceeds a double', () => {
    const one = { name: 'x', values: [1.5e308, 1.5e308] };
    const totals = (series: object) =>
      tableOf(contentOf({ kind: 'bar', buckets: ['a', 'b'], series: [series] })).totals?.values;
    expect(totals(one)).toBeUndefined();
    expect(totals({ ...one, previous: [1, 2] })).toEqual([null, 3]);
    expect(totals({ ...one, values: [1, 2], previous: one.values, previousTotal: null })).toEqual([3, null]);
  });

  it('ends with totals where values can be summed', () => {
    const totals = (series: object, unit?: string) =>
      tableOf(contentOf({ kind: 'bar', unit, buckets: ['2026-03-01', '2026-03-02'], series: [series] }))
        .totals;
    expect(totals({ name: 'x', values: [1, 2.5] })?.values).toEqual([3.5]);
    expect(totals({ name: 'x', values: [1, 2], total: null })).toBeUndefined();
    expect(totals({ name: 'people', values: [5, 5], total: 7 })?.values).toEqual([7]);
    expect(totals({ name: 'x', values: [40, 60] }, '%')).toBeUndefined();
    const orders = { name: 'orders', values: [1, 2], previous: [2, 2] };
    const people = { name: 'people', values: [1, 1], previous: [1, 2], total: null };
    expect(
      tableOf({ kind: 'line', buckets: ['2026-03-01', '2026-03-02'], series: [orders, people] }).totals
        ?.values,
    ).toEqual([3, 4, null, null]);
    // Missing values are not the same as values that do not add up.
    const none = { name: 'price', values: [null, null], previous: [4, 6] };
    expect(totals(none)?.values).toEqual([null, 10]);
    expect(totals({ ...none, total: null, previousTotal: 10 })?.values).toEqual([null, 10]);
  });
});

describe('the total of a report', () => {
  it('sums the one series or the parts of a report, and compares them with the previous period', () => {
    expect(amount({ series: [{ name: 'x', values: [1, 2], previous: [4, null] }] })).toEqual({
      total: 3,
      previousTotal: 4,
    });
    const parts = [
      { name: 'a', values: [1, 2] },
      { name: 'b', values: [3, 4] },
    ];
    expect(amount({ series: parts, breakdown: 'Plan' })?.total).toBe(10);
    expect(amount({ series: parts })).toBeUndefined();
    expect(amount({ series: parts, total: 9, previousTotal: 8 })).toEqual({ total: 9, previousTotal: 8 });
  });

  it('weighs the rows of a grid by their size', () => {
    const content = contentOf({
      kind: 'grid',
      periods: ['0', '1', '2'],
      rows: [
        { name: 'a', size: 30, values: [100, 50, null] },
        { name: 'b', size: 10, values: [100, 10] },
      ],
    });
    expect(content.kind === 'grid' && averagesOf(content)).toEqual([100, 40, undefined]);
  });
});

describe('a report as CSV', () => {
  it.each([
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "\t'=1"],
    ['a;=1', "a;'=1"],
    ['a,+1;-2\t@3|=4', "a,'+1;'-2\t'@3|'=4"],
    ['a; =1', "a; '=1"],
    ['a;"=1"', `a;""'=1""`],
    ['a\n=1\r\n=2\u2028=3', "a\n'=1\r\n'=2\u2028'=3"],
    ["a;=cmd|' /C calc'!A0;b", "a;'=cmd|' /C calc'!A0;b"],
    ['1-2 = 3', '1-2 = 3'],
    ['＝1', "'＝1"],
    ["=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"],
    ['say "hi"', 'say ""hi""'],
    ['a\r\nb', 'a\r\nb'],
    ['plain', 'plain'],
  ])('writes %j as %j, so that no spreadsheet runs it', (text, written) => {
    const series = [{ name: text, values: [-5] }];
    expect(csv({ kind: 'bar', buckets: [text], series })).toBe(`"","${written}"\r\n"${written}",-5\r\n`);
  });
});
