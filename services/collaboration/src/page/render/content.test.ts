import { ENGLISH_TABLE, parseContent } from '@switchboard/report-content';
import { documented } from '@switchboard/testkit';
import { describe, expect, it } from 'vitest';
import { LANGUAGES, languageOf } from '../texts/languages.ts';
import { type Drawings, draw } from './chart/draw.ts';
import { stackBadges } from './chart/overlay.ts';
import { niceTicks } from './chart/ticks.ts';
import { funnelFigure } from './funnel.ts';
import { headline } from './headline.ts';
import { createLocale } from './locale.ts';
import { nothing } from './markup.ts';
import { renderAnyJson } from './other-content.ts';
import { summarise } from './summary.ts';
import { dataTable, downloadLink } from './table.ts';

const en = createLocale('en');
const overBuckets = { buckets: ['2026-02-01', '2026-02-02'], series: [{ name: 'Web', values: [1, 2] }] };

function contentOf(report: unknown) {
  const content = parseContent(report);
  if (content === undefined) throw new Error('not report content');
  return content;
}
function drawn(report: object, locale = en) {
  const content = contentOf(report);
  if (!('buckets' in content)) throw new Error('not drawn');
  return draw(content, [{ number: 1, first: 0, last: 0 }], locale);
}

it('knows the format of every report in docs/insights.md', () => {
  const reports = documented('docs/insights.md#report-content', 'json').trim().split('\n');
  const kinds = reports.map((report) => contentOf(JSON.parse(report)).kind);
  expect(kinds).toEqual(['line', 'funnel', 'grid']);
});

const textOf = (markup: unknown) =>
  String(markup)
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

describe('a drawing', () => {
  it.each(['line', 'bar'])(
    'draws a %s as SVG for a wide page and for a phone, without styles or scripts',
    async (kind) => {
      const { wide, narrow } = await drawn({ kind, ...overBuckets });
      for (const { content } of [wide, narrow]) {
        expect(content).toMatch(/^<rect |^<g /);
        expect(content).not.toMatch(/style=|<script|<style|<image|href=|NaN|Infinity|undefined/);
      }
      expect(wide).not.toEqual(narrow);
    },
  );

  it('escapes user text in a drawing', async () => {
    const evil = '"><script>alert(1)</script>';
    const series = [{ name: evil, values: [1] }];
    const { wide } = await drawn({ kind: 'bar', unit: evil, buckets: [evil], series });
    expect(wide.content).not.toContain('<script');
    expect(wide.content).toContain('&lt;script&gt;');
  });

  it('draws values that are all missing, zero, negative, tiny or huge', async () => {
    for (const values of [
      [null, null],
      [0, 0],
      [-5, -1],
      [1e-300, 0],
      [1e308, 1e308],
      [-1e308, -1e308],
    ]) {
      for (const kind of ['line', 'bar']) {
        const series = [1, 2].map((at) => ({ name: `x${at}`, values }));
        expect((await drawn({ kind, ...overBuckets, series })).wide.content).not.toMatch(/NaN|Infinity/);
      }
    }
  });

  it('draws a goal as a line with its label and value, within the values of the axis', async () => {
    const yOf = (content: string) => Number(/class="goal"><path d="M[\d.]+,([\d.]+)H/.exec(content)?.[1]);
    for (const [value, kind] of [
      [500, 'line'],
      [1.5, 'bar'],
      [-40, 'line'],
    ] as const) {
      const { wide, narrow } = await drawn({
        kind,
        ...overBuckets,
        unit: '€',
        goal: { value, label: '<Plan>' },
      });
      for (const { content, height } of [wide, narrow]) {
        expect(content).toContain(`&lt;Plan&gt;: ${value} €`);
        expect(yOf(content)).toBeGreaterThanOrEqual(8);
        expect(yOf(content)).toBeLessThan(height - 20);
      }
    }
    expect((await drawn({ kind: 'line', ...overBuckets })).wide.content).not.toContain('class="goal"');
  });

  it('names a goal in the description of a drawing', () => {
    const described = (goal: object, language: 'en' | 'de') => {
      const content = contentOf({ kind: 'line', ...overBuckets, goal });
      return 'buckets' in content ? summarise(content, createLocale(language)) : '';
    };
    expect(described({ value: 1200, label: 'Plan' }, 'en')).toContain(' Plan: 1,200. ');
    expect(described({ value: 1200 }, 'de')).toContain(' Ziel: 1.200. ');
  });

  it('shows the values of a bucket under the pointer', async () => {
    const series = [
      { name: 'Free', values: [1200, null], previous: [7, 8] },
      { name: 'Paid', values: [3, 4] },
    ];
    const { wide } = await drawn({ kind: 'line', unit: '€', buckets: ['2026-03-02', '2026-03-09'], series });
    expect(wide.content.match(/<title>[^<]*/g)).toEqual([
      '<title>Week of 2 Mar 2026\nFree: 1,200 €\nFree, previous period: 7 €\nPaid: 3 €',
      '<title>Week of 9 Mar 2026\nFree: –\nFree, previous period: 8 €\nPaid: 4 €',
    ]);
  });

  const ticks = async (
    unit: string | undefined,
    values: number[],
    locale = en,
    of: keyof Drawings = 'wide',
  ) => {
    const series = [{ name: 'x', values }];
    const { [of]: one } = await drawn({ kind: 'line', ...overBuckets, unit, series }, locale);
    const labels = [...one.content.matchAll(/text-anchor="end"[^>]*>([^<]*)</g)].map(([, label]) => label);
    return { labels, above: one.content.match(/<text class="unit"[^>]*>([^<]*)</)?.[1] };
  };

  it('shows the unit once, above round ticks, and none as 0k', async () => {
    expect(await ticks('€', [0, 40_000])).toEqual({
      labels: ['0', '10k', '20k', '30k', '40k'],
      above: '€',
    });
    expect(await ticks('%', [0, 100])).toEqual({ labels: ['0', '20', '40', '60', '80', '100'], above: '%' });
    expect(await ticks(undefined, [0, 40_000])).toMatchObject({ above: undefined });
    expect((await ticks(undefined, [0, 0.9])).labels).toEqual(['0', '0.2', '0.4', '0.6', '0.8', '1.0']);
    expect((await ticks(undefined, [-3, 3])).labels).toEqual(['-4', '-2', '0', '2', '4']);
    for (const of of ['wide', 'narrow'] as const) {
      expect(await ticks('sign-ups', [0, 200], en, of)).toEqual({
        labels: ['0', '50', '100', '150', '200'],
        above: 'sign-ups',
      });
    }
  });

  it('shows ticks and people in the language', async () => {
    const german = createLocale('de');
    expect((await ticks('€', [0, 3e6], german)).labels.at(-1)).toBe('3\u00a0Mio.');
    for (const [language, above] of [
      ['en', 'people'],
      ['de', 'Personen'],
      ['ja', '人'],
    ] as const)
      expect((await ticks('people', [0, 2], createLocale(language))).above).toBe(above);
    // People who left are below the axis.
    expect((await ticks('people', [-3, 3])).labels).toEqual(['4', '2', '0', '2', '4']);
  });

  it('names as many buckets as there is room for', async () => {
    const named = async (buckets: string[], of: keyof Drawings) => {
      const series = [{ name: 'x', values: buckets.map(() => 1) }];
      const { [of]: one } = await drawn({ kind: 'bar', buckets, series });
      return one.content.match(/text-anchor="middle" transform/g)?.length;
    };
    const letters = Array.from({ length: 9 }, (_, at) => String(at));
    const words = letters.map((letter) => `${letter} of a great many words`);
    expect([await named(letters, 'wide'), await named(letters, 'narrow')]).toEqual([9, 9]);
    expect([await named(words, 'wide'), await named(words, 'narrow')]).toEqual([5, 2]);
  });
});

describe('ticks', () => {
  it.each([
    [0, 0, [0, 1]],
    [0, 7, [0, 2, 4, 6, 8]],
    [-900, 2800, [-1000, 0, 1000, 2000, 3000]],
  ])('chooses round ticks from %d to %d that include zero', (least, most, ticks) => {
    expect(niceTicks(least, most)).toEqual(ticks);
  });

  it.each([
    [0, 0, [0, 1]],
    [0, 1, [0, 1]],
    [0, 12, [0, 5, 10, 15]],
    [-1, 3, [-1, 0, 1, 2, 3]],
    [0, 125, [0, 25, 50, 75, 100, 125]],
  ])('chooses whole ticks from %d to %d for whole values', (least, most, ticks) => {
    expect(niceTicks(least, most, true)).toEqual(ticks);
  });
});

describe('the numbers of annotations', () => {
  const stack = (firsts: number[]) =>
    stackBadges(
      firsts.map((first, index) => ({ number: index + 1, first, last: first })),
      (bucket) => bucket * 10,
      300,
    ).map(({ label, lane }) => `${label} on ${lane}`);

  it('stacks the numbers of annotations where they would overlap', () => {
    expect(stack([0, 0, 1, 3, 10])).toEqual(['1 on 0', '2 on 1', '3 on 2', '4 on 0', '5 on 0']);
  });

  it('joins the numbers of annotations to the top one when there is no room', () => {
    expect(stack(Array.from({ length: 9 }, () => 0)).at(-1)).toBe('6–9 on 5');
  });

  it('keeps the numbers of annotations within the drawing', () => {
    const [badge] = stackBadges([{ number: 1, first: 30, last: 30 }], (bucket) => bucket * 10, 300);
    expect(badge && badge.x + badge.width).toBeLessThanOrEqual(300);
  });
});

describe('the values of a chart', () => {
  it('lists all values of a chart in a table, folded when it is long', () => {
    expect(
      textOf(
        dataTable(contentOf({ kind: 'line', ...overBuckets, unit: 'x' }), en, downloadLink(en, undefined)),
      ),
    ).toBe('Values Download CSV x Day Web 1 Feb 2026 1 2 Feb 2026 2 Total 3');
    const buckets = Array.from({ length: 13 }, (_, week) =>
      new Date(Date.UTC(2026, 0, 5 + week * 7)).toISOString().slice(0, 10),
    );
    const long = dataTable(
      contentOf({ kind: 'line', buckets, series: [{ name: 'Web', values: buckets.map(() => 1) }] }),
      en,
      nothing,
    ).toString();
    expect(long).toContain('<details><summary>');
    expect(textOf(long)).toContain('Values 13 rows Week of Web 5 Jan 2026 1');
  });

  it('describes the values of a chart to screen readers', () => {
    const content = contentOf({ kind: 'line', ...overBuckets, unit: 'sign-ups' });
    expect('buckets' in content && summarise(content, en)).toBe(
      'Line chart. From 1 Feb 2026 to 2 Feb 2026. Web: 1 sign-ups to 2 sign-ups, ending at 2 sign-ups. All values are in the table below.',
    );
  });

  it('shows the total of a chart and its change first', () => {
    const head = (series: object[], more = {}) =>
      textOf(headline(contentOf({ kind: 'line', ...overBuckets, series, ...more }), en));
    expect(head([{ name: 'x', values: [5, 6], previous: [5, 5] }])).toBe(
      'Total 11 ▲ 10% more than 10 in the previous period',
    );
    expect(head([{ name: 'x', values: [5, 4], previous: [5, 5] }])).toContain('▼ 10% less than 10');
    expect(head([{ name: 'x', values: [5, 5], previous: [0, 0] }])).toContain('▲ 10 more than 0');
    expect(head([{ name: 'x', values: [5, 5], previous: [5, 5] }])).toContain(
      'same as in the previous period: 10',
    );
    expect(
      head([
        { name: 'a', values: [1, 1] },
        { name: 'b', values: [2, 2], total: null },
      ]),
    ).toBe('a 2');
  });
});

describe('a funnel', () => {
  it('shows the people lost between the steps of a funnel, and the time it took', () => {
    const content = contentOf({
      kind: 'funnel',
      steps: [
        { name: 'Seen', count: 200 },
        { name: 'Paid', count: 50, medianSeconds: 7500 },
      ],
    });
    expect(content.kind === 'funnel' && textOf(funnelFigure(content, 'Checkout', en))).toContain(
      'First to last step 25% Seen 200 100% Seen 200 · 100% ↓ 150 lost (75%) median 2 hrs 5 mins Paid 50 25%',
    );
  });
});

describe('an optional step of a funnel', () => {
  it('shows who skipped it, and compares the next step with the one before it', () => {
    const content = contentOf({
      kind: 'funnel',
      steps: [
        { name: 'Seen', count: 200 },
        { name: 'Saved', count: 20, optional: true },
        { name: 'Paid', count: 50 },
      ],
    });
    expect(content.kind === 'funnel' && textOf(funnelFigure(content, 'Checkout', en))).toContain(
      '↓ 180 skipped it (90%) Saved (optional) 20 10% Saved (optional) 20 · 10% ↓ 150 lost (75%) Paid 50 25%',
    );
  });
});

describe('the language of the page', () => {
  it.each([
    [undefined, 'en'],
    ['*', 'en'],
    ['de-AT,de;q=0.9,en;q=0.8', 'de'],
    ['sv, pt-BR;q=0.7, en;q=0.3', 'pt'],
    ['en;q=0.1, ja', 'ja'],
    ['fr;q=0, es', 'es'],
    ['__proto__, constructor', 'en'],
  ])('answers a visitor who asks for %s in %s', (header, language) => {
    expect(languageOf(header)).toBe(language);
  });

  it('does not search for the language in an endless header', () => {
    expect(languageOf(`${'x,'.repeat(100_000)}de`)).toBe('en');
  });

  it('writes dates and numbers in the way of each language', () => {
    const written = (of: keyof typeof LANGUAGES) => {
      const { day, value, share } = createLocale(of);
      return [day('2026-03-02'), value(1234.5, '€'), share(0.125)]
        .join(' | ')
        .replaceAll(/[\u00a0\u202f]/g, ' ');
    };
    expect(written('en')).toBe('2 Mar 2026 | 1,234.5 € | 12.5%');
    expect(written('de')).toBe('2. März 2026 | 1.234,5 € | 12,5 %');
    expect(written('ja')).toBe('2026年3月2日 | 1,234.5 € | 12.5%');
  });

  it('has every text in every language, and none in English', () => {
    for (const [language, texts] of Object.entries(LANGUAGES)) {
      if (language === 'en') continue;
      expect([texts.footer, texts.download, texts.table.medianTime]).not.toContain(LANGUAGES.en.footer);
      expect(texts.table.medianTime).not.toBe(ENGLISH_TABLE.medianTime);
    }
  });
});

describe('other content', () => {
  const text = (value: unknown) => renderAnyJson(value, en).toString();

  it('shows other content as a table of its properties, rows and values', () => {
    const shown = text({
      rows: [{ day: '2026-03-01', n: 1234.5 }, { day: '2026-03-02' }],
      ok: true,
      none: null,
    });
    expect(
      shown
        .replaceAll(/<[^>]+>/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    ).toBe('rows day n 2026-03-01 1,234.5 2026-03-02 ok yes none –');
  });

  it('escapes the names and values of other content', () => {
    const evil = '<script>alert(1)</script>';
    expect(text({ [evil]: evil, list: [evil, { [evil]: [evil] }] })).not.toContain('<script');
  });

  it('cuts other content that is long, deep or wide', () => {
    const long = text(Array.from({ length: 100_000 }, (_, index) => ({ index })));
    expect(long.length).toBeLessThan(1_000_000);
    expect(long).toMatch(/and [\d,]+ more/);
    let deep: unknown = 'end';
    for (let level = 0; level < 60; level++) deep = { deep };
    expect(text(deep)).toContain('end');
    expect(
      text([Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`k${index}`, index]))]),
    ).toContain('k49');
  });
});
