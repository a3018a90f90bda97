import { chartsOf, csvOf, parseContent, reportAmount, tableOf } from '@switchboard/report-content';
import { describe, expect, it } from 'vitest';
import { LANGUAGES } from '../texts/languages.ts';
import { draw } from './chart/draw.ts';
import { figures } from './chart/figures.ts';
import { drawnOf } from './drawn.ts';
import { figure, legend } from './figure.ts';
import { funnelFigure } from './funnel.ts';
import { headline } from './headline.ts';
import { createLocale } from './locale.ts';
import { nothing } from './markup.ts';
import { dataTable } from './table.ts';

const en = createLocale('en');
const buckets = ['2026-02-01', '2026-02-02'];
/** 144 series, the last of which is the largest. */
const series = Array.from({ length: 144 }, (_, at) => ({ name: `plan ${at}.`, values: [at, at + 1] }));
const LARGEST = series.slice(-8).map(({ name }) => name);

function overBuckets(report: object) {
  const content = parseContent({ buckets, series, ...report });
  if (content === undefined || !('buckets' in content)) throw new Error('not over buckets');
  return content;
}
async function page(report: object) {
  const content = overBuckets(report);
  const drawn = drawnOf(content, en);
  return figure(
    content,
    drawn,
    { title: 'Plans', id: 'chart-1', heading: undefined },
    await draw(drawn.content, [], en),
    en,
  ).toString();
}
const legendOf = (markup: string) =>
  [...(markup.match(/<ul class="legend".*?<\/ul>/)?.[0] ?? '').matchAll(/<li[^>]*>(.*?)<\/li>/g)].map(
    ([, item = '']) => item.replaceAll(/<[^>]+>/g, ''),
  );
const coloursOf = (markup: string, attribute: string) => [
  ...new Set(
    [...markup.matchAll(new RegExp(`${attribute}="var\\((--(?:series|text-muted)[^)]*)`, 'g'))].map(
      ([, one]) => one,
    ),
  ),
];
const COLOURS = Array.from({ length: 8 }, (_, at) => `--series-${at + 1}`);

describe('a report with 144 series', () => {
  it('draws lines of the largest eight series, and says where the others are', async () => {
    const markup = await page({ kind: 'line' });
    expect(legendOf(markup)).toEqual([...LARGEST, '136 more in the table']);
    expect(coloursOf(markup, 'stroke').sort()).toEqual(COLOURS.toSorted());
    expect(markup.match(/<title>[^<]*/)?.[0].split('\n')).toHaveLength(9);
    expect(markup).not.toContain('plan 135.');
  });

  it('draws bars as high as all series together', async () => {
    const markup = await page({ kind: 'bar', unit: '€' });
    expect(legendOf(markup)).toEqual([...LARGEST, '136 more in the table']);
    expect(coloursOf(markup, 'fill').sort()).toEqual(['--text-muted', ...COLOURS].toSorted());
    expect(markup).toContain('\n136 more in the table: 9,180 €');
    const { wide } = await draw(drawnOf(overBuckets({ kind: 'bar' }), en).content, [], en);
    expect([...wide.content.matchAll(/text-anchor="end"[^>]*>([^<]*)</g)].at(-1)?.[1]).toBe('12.5k');
  });

  it('draws the parts of a split funnel with the most people at the first step', () => {
    const steps = ['Seen', 'Paid'].map((name) => ({ name, count: 20_000 }));
    const content = parseContent({ kind: 'funnel', steps, series });
    const markup = content?.kind === 'funnel' ? funnelFigure(content, 'Plans', en).toString() : '';
    expect(legendOf(markup)).toEqual([...LARGEST, '136 more in the table']);
    expect(markup.match(/<div class="part">/g)).toHaveLength(16);
  });

  it('lists all series in tables that fit on paper, and in the file', () => {
    const content = overBuckets({ kind: 'line' });
    const markup = dataTable(content, en, nothing).toString();
    expect(markup).toContain('<details><summary>');
    const tables = markup.match(/<table.*?<\/table>/gs) ?? [];
    const plans = (table: string) => table.match(/<th scope="col" class="value">plan/g)?.length;
    expect(tables.map(plans)).toEqual(Array(12).fill(12));
    expect(tables.at(-1)?.replaceAll(/<[^>]+>/g, ' ')).toMatch(/plan 143\..*2 Feb 2026.*144\s+Total.*287/s);
    expect(csvOf(tableOf(content)).split('\r\n')[0]?.split(',')).toHaveLength(145);
  });

  it('names the number of series left out in every language', () => {
    const texts = Object.keys(LANGUAGES).map((language) => {
      const locale = createLocale(language as keyof typeof LANGUAGES);
      return legendOf(legend(drawnOf(overBuckets({ kind: 'line' }), locale), locale).toString()).at(-1);
    });
    expect(texts).toEqual(texts.map(() => expect.stringContaining('136')));
    expect(new Set(texts).size).toBe(texts.length);
  });
});

describe('the largest series', () => {
  const drawnIn = (values: { total?: number | null; values: (number | null)[] }[], kind = 'line') =>
    drawnOf(
      overBuckets({ kind, series: values.map((one, at) => ({ name: `${at}`, ...one })) }),
      en,
    ).content.series.map(({ name, values: [first] }) => `${name} ${first}`);
  const ones = Array.from({ length: 8 }, () => ({ values: [5, 5] }));

  it('selects the series with the largest totals, also below zero and where values do not add up', () => {
    expect(drawnIn([...ones, { values: [-9, -9] }])).toContain('8 -9');
    expect(drawnIn([...ones, { values: [9, null], total: null }])).not.toContain('8 9');
    expect(drawnIn([...ones, { values: [1, 1], total: 11 }])).toContain('8 1');
    expect(drawnIn([...ones, { values: [5, 5] }])).toHaveLength(8);
  });

  it('selects all of eight series', () => {
    expect(drawnIn(ones, 'bar')).toHaveLength(8);
  });

  it('leaves a gap where none of the other series has a value', () => {
    expect(drawnIn([...ones, { values: [null, 1] }], 'bar').at(-1)).toBe('1 more in the table null');
  });
});

describe('the display of a line report', () => {
  const two = {
    kind: 'line',
    series: [0, 1].map((at) => ({ name: `s${at}`, values: [3, 5], previous: [1, 1] })),
  };
  const shown = async (report: object) =>
    String(await figures(overBuckets(report), { title: 'T', id: 'c', notes: [] }, en));

  it('stacks areas up to the sum of the series', async () => {
    const markup = await shown({ ...two, display: 'area' });
    expect(markup).toContain('mark-area');
    expect(markup).toContain('>10</text>');
    expect(markup).toContain('Stacked area chart.');
    expect(await shown(two)).not.toContain('mark-area');
  });

  it('shows the share of each series in their total as a pie, the largest first', async () => {
    const sizes = [10, 60, 30, 0];
    const series = sizes.map((size, at) => ({ name: `s${at}`, values: [size / 2, size / 2] }));
    const markup = await shown({ kind: 'line', series, display: 'pie', breakdown: 'Plan' });
    const text = markup.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');
    expect(text).toContain('Pie chart. s1: 60%. s2: 30%. s0: 10%.');
    expect(text).toContain('By Plan: s1 60 60% s2 30 30% s0 10 10%');
    expect(markup.match(/<path /g)).toHaveLength(3);
    expect(markup).toContain('fill="var(--series-2)"');
  });

  it('joins the series after the eighth in the last slice of a pie', async () => {
    const series = Array.from({ length: 12 }, (_, at) => ({ name: `s${at}`, values: [at + 1, 11 - at] }));
    const markup = await shown({ kind: 'line', series, display: 'pie' });
    expect(markup.match(/<path /g)).toHaveLength(9);
    expect(markup).toContain('<span>4 more in the table</span><span class="amount">48</span>');
  });

  it('adds the totals of the series after the eighth, which are less than the sums of their values', async () => {
    const series = Array.from({ length: 10 }, (_, at) => ({
      name: `s${at}`,
      values: [20, 20 - at],
      total: 20 - at,
    }));
    const markup = await shown({ kind: 'line', series, display: 'pie' });
    expect(markup).toContain('<span>2 more in the table</span><span class="amount">23</span>');
  });

  it('draws a whole pie for one series, and none without values', async () => {
    const one = { kind: 'line', series: [{ name: 'all', values: [1, 2] }], display: 'pie' };
    expect(await shown(one)).toContain('<circle r="100"');
    const empty = { ...one, series: [{ name: 'all', values: [0, null] }] };
    expect(await shown(empty)).toContain('T: no values.');
    expect(await shown(empty)).not.toContain('<svg');
  });

  it('shows countries in the colours of their values on a map, with a legend, and the rest in the table', async () => {
    const values = { DE: 1200, SG: 40, FR: 3, Germany: 7 };
    const series = Object.entries(values).map(([name, value]) => ({ name, values: [value, 0] }));
    const markup = await shown({ kind: 'line', series, display: 'map', breakdown: 'country' });
    const text = markup.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');
    expect(text).toContain(
      'World map. Germany: 1,200. Singapore: 40. France: 3. All values are in the table below.',
    );
    expect(text).toContain('By country: 3 – 9 10 – 49 50 – 99 100 – 499 500 – 1,200 1 more in the table');
    expect(markup).toMatch(/fill="var\(--scale-5\)"><title>Germany: 1,200<\/title>/);
    expect(markup).toMatch(/class="dot" d="M\d+ \d+h0" stroke="var\(--scale-2\)"[^>]*><title>Singapore: 40</);
    expect(markup.match(/class="land"/g)).toHaveLength(1);
  });

  it('draws no map of values that are no country', async () => {
    const series = [{ name: 'Germany', values: [1, 2] }];
    const markup = await shown({ kind: 'line', series, display: 'map' });
    expect(markup).toContain('T: no values.');
    expect(markup).not.toContain('<svg');
  });

  it('shows the total of each series as a number with its change, and no drawing', async () => {
    const markup = await shown({ ...two, display: 'number' });
    expect(markup).not.toContain('<svg');
    expect(markup.match(/<strong>8<\/strong>/g)).toHaveLength(2);
    expect(markup).toContain('300% more than 2 in the previous period');
  });

  it('shows one number for the parts of a breakdown', async () => {
    const markup = await shown({ ...two, display: 'number', breakdown: 'Plan' });
    expect(markup.match(/<strong>\d+<\/strong>/g)).toEqual(['<strong>16</strong>']);
  });
});

describe('a report with several units', () => {
  const series = [
    { name: 'orders', unit: 'events', values: [3, 4] },
    { name: 'buyers', unit: 'people', values: [2, 3] },
    { name: 'revenue', unit: 'total', values: [300, 410], previous: [200, 205] },
    { name: 'visits', unit: 'events', values: [30, 40] },
  ];

  it('shows a chart, an axis and a headline for each unit', () => {
    const charts = chartsOf(overBuckets({ kind: 'line', series }));
    expect(charts.map(({ unit, series: ones }) => [unit, ones.map(({ name }) => name)])).toEqual([
      ['events', ['orders', 'visits']],
      ['people', ['buyers']],
      ['total', ['revenue']],
    ]);
    const withGoal = chartsOf(overBuckets({ kind: 'line', series, goal: { value: 5 } }));
    expect(withGoal.map(({ goal }) => goal)).toEqual([{ value: 5 }, undefined, undefined]);
    const headlines = charts.map((chart) =>
      headline(chart, en)
        .toString()
        .replaceAll(/<[^>]+>/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    );
    expect(headlines).toEqual([
      'orders 7 events visits 70 events',
      'Total 5 people',
      'Total 710 total ▲ 75.3% more than 405 in the previous period',
    ]);
  });

  it('names a unit once, in the heading or next to the numbers', async () => {
    const revenue = { name: 'revenue', unit: '€', values: [300, 410] };
    const markup = await figures(
      overBuckets({ kind: 'line', series: [...series, revenue] }),
      { title: 'Shop', id: 'chart', notes: [] },
      en,
    );
    const parts = markup
      .toString()
      .split('</figure>')
      .map((part) => part.replaceAll(/<(title|desc).*?<\/\1>/gs, ' ').replaceAll(/<[^>]+>/g, ' '));
    expect(parts[0]).toMatch(/^\s*events\s.*orders\s+7\s.*visits\s+70\s/s);
    expect(parts[0]).not.toMatch(/\d events/);
    expect(parts[1]).toMatch(/buyers\s.*5 people/s);
    expect(parts[3]).toMatch(/revenue\s.*710 €/s);
  });

  it('adds the parts of a breakdown only where they have one unit', () => {
    const split = overBuckets({ kind: 'line', breakdown: 'Plan', series });
    expect(reportAmount(split)).toBeUndefined();
    expect(
      reportAmount(overBuckets({ kind: 'line', breakdown: 'Plan', series: series.slice(0, 1) }))?.total,
    ).toBe(7);
  });

  it('marks percentages in the table of a report with several units', () => {
    const content = overBuckets({
      kind: 'line',
      series: [...series, { name: 'share', unit: '%', values: [12, 13] }],
    });
    expect(dataTable(content, en, nothing).toString()).toContain('<td class="value">12%</td>');
  });
});

describe('people who left', () => {
  const content = overBuckets({
    kind: 'bar',
    unit: 'people',
    series: [{ name: 'Dormant', builtIn: 'dormant', values: [-20, -1], previous: [-10, -4] }],
  });

  it('counts people who left without a sign in the headline, the table and the axis', async () => {
    expect(headline(content, en).toString()).toMatch(/21 people.*50% more than 14/s);
    expect(dataTable(content, en, nothing).toString()).toContain('<td class="value">20</td>');
    const { wide } = await draw(content, [], en);
    expect(wide.content).toContain('20 people');
    expect(wide.content).not.toMatch(/[-−]\d+ (people|person)/);
  });
});

describe('a funnel with a single part', () => {
  it('names the only part of a funnel once instead of at every step', () => {
    const content = parseContent({
      kind: 'funnel',
      breakdown: 'plan',
      steps: [
        { name: 'Seen', count: 4 },
        { name: 'Paid', count: 2 },
      ],
      series: [{ name: '(none)', builtIn: 'none', values: [4, 2] }],
    });
    if (content?.kind !== 'funnel') throw new Error('not a funnel');
    expect(
      funnelFigure(content, 'Plans', en)
        .toString()
        .match(/\(none\)/g),
    ).toHaveLength(1);
  });
});
