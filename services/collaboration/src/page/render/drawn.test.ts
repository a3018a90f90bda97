import { csvOf, parseContent, tableOf } from '@switchboard/report-content';
import { describe, expect, it } from 'vitest';
import { LANGUAGES } from '../texts/languages.ts';
import { draw } from './chart/draw.ts';
import { drawnOf } from './drawn.ts';
import { figure, legend } from './figure.ts';
import { funnelFigure } from './funnel.ts';
import { createLocale } from './locale.ts';
import { dataTable } from './table.ts';

const en = createLocale('en');
const buckets = ['2026-02-01', '2026-02-02'];
/** Of 144, the last is the largest. */
const series = Array.from({ length: 144 }, (_, at) => ({ name: `plan ${at}.`, values: [at, at + 1] }));
const LARGEST = series.slice(-12).map(({ name }) => name);

function overBuckets(report: object) {
  const content = parseContent({ buckets, series, ...report });
  if (content === undefined || !('buckets' in content)) throw new Error('not over buckets');
  return content;
}
async function page(report: object) {
  const content = overBuckets(report);
  const drawn = drawnOf(content, en);
  return figure(content, drawn, 'Plans', await draw(drawn.content, [], en), en).toString();
}
const legendOf = (markup: string) =>
  [...(markup.match(/<ul class="legend".*?<\/ul>/)?.[0] ?? '').matchAll(/<li[^>]*>(.*?)<\/li>/g)].map(
    ([, item = '']) => item.replaceAll(/<[^>]+>/g, ''),
  );
const coloursOf = (markup: string, attribute: string) => [
  ...new Set(
    [...markup.matchAll(new RegExp(`${attribute}="var\\((--(?:series|others)[^)]*)`, 'g'))].map(
      ([, one]) => one,
    ),
  ),
];
const COLOURS = Array.from({ length: 12 }, (_, at) => `--series-${at + 1}`);

describe('a report with 144 series', () => {
  it('has lines of the largest twelve, and says where the others are', async () => {
    const markup = await page({ kind: 'line' });
    expect(legendOf(markup)).toEqual([...LARGEST, '132 more in the table']);
    expect(coloursOf(markup, 'stroke').sort()).toEqual(COLOURS.toSorted());
    expect(markup.match(/<title>[^<]*/)?.[0].split('\n')).toHaveLength(13);
    expect(markup).not.toContain('plan 131.');
  });

  it('has bars as high as all series together', async () => {
    const markup = await page({ kind: 'bar', unit: '€' });
    expect(legendOf(markup)).toEqual([...LARGEST, '132 more in the table']);
    expect(coloursOf(markup, 'fill').sort()).toEqual(['--others', ...COLOURS].toSorted());
    expect(markup).toContain('\n132 more in the table: 8,646 €');
    const { wide } = await draw(drawnOf(overBuckets({ kind: 'bar' }), en).content, [], en);
    expect([...wide.content.matchAll(/text-anchor="end"[^>]*>([^<]*)</g)].at(-1)?.[1]).toBe('12.5k');
  });

  it('draws of a split funnel the parts with the most people at the first step', () => {
    const steps = ['Seen', 'Paid'].map((name) => ({ name, count: 20_000 }));
    const content = parseContent({ kind: 'funnel', steps, series });
    const markup = content?.kind === 'funnel' ? funnelFigure(content, 'Plans', en).toString() : '';
    expect(legendOf(markup)).toEqual([...LARGEST, '132 more in the table']);
    expect(markup.match(/<div class="part">/g)).toHaveLength(24);
  });

  it('has all of them in tables that paper has room for, and in the file', () => {
    const content = overBuckets({ kind: 'line' });
    const markup = dataTable(content, en).toString();
    expect(markup).toContain('<details><summary>');
    const tables = markup.match(/<table.*?<\/table>/gs) ?? [];
    const plans = (table: string) => table.match(/<th scope="col" class="value">plan/g)?.length;
    expect(tables.map(plans)).toEqual(Array(12).fill(12));
    expect(tables.at(-1)?.replaceAll(/<[^>]+>/g, ' ')).toMatch(/plan 143\..*2 Feb 2026.*144\s+Total.*287/s);
    expect(csvOf(tableOf(content)).split('\r\n')[0]?.split(',')).toHaveLength(145);
  });

  it('says so in every language', () => {
    const texts = Object.keys(LANGUAGES).map((language) => {
      const locale = createLocale(language as keyof typeof LANGUAGES);
      return legendOf(legend(drawnOf(overBuckets({ kind: 'line' }), locale), locale).toString()).at(-1);
    });
    expect(texts).toEqual(texts.map(() => expect.stringContaining('132')));
    expect(new Set(texts).size).toBe(texts.length);
  });
});

describe('the largest series', () => {
  const drawnIn = (values: { total?: number | null; values: (number | null)[] }[], kind = 'line') =>
    drawnOf(
      overBuckets({ kind, series: values.map((one, at) => ({ name: `${at}`, ...one })) }),
      en,
    ).content.series.map(({ name, values: [first] }) => `${name} ${first}`);
  const ones = Array.from({ length: 12 }, () => ({ values: [5, 5] }));

  it('are those of the largest totals, also below zero and where values do not add up', () => {
    expect(drawnIn([...ones, { values: [-9, -9] }])).toContain('12 -9');
    expect(drawnIn([...ones, { values: [9, null], total: null }])).not.toContain('12 9');
    expect(drawnIn([...ones, { values: [1, 1], total: 11 }])).toContain('12 1');
    expect(drawnIn([...ones, { values: [5, 5] }])).toHaveLength(12);
  });

  it('are all of twelve', () => {
    expect(drawnIn(ones, 'bar')).toHaveLength(12);
  });

  it('leave a gap where no other has a value', () => {
    expect(drawnIn([...ones, { values: [null, 1] }], 'bar').at(-1)).toBe('1 more in the table null');
  });
});
