import { describe, expect, it } from 'vitest';
import { draw } from './chart/draw.ts';
import { parseContent } from './format.ts';
import { renderAnyJson } from './other-content.ts';
import { summarise } from './summary.ts';
import { dataTable } from './table.ts';

const overBuckets = { buckets: ['2026-02-01', '2026-02-02'], series: [{ name: 'Web', values: [1, 2] }] };
const funnel = {
  kind: 'funnel',
  steps: [
    { name: 'Seen', count: 200 },
    { name: 'Paid', count: 50 },
  ],
};
const grid = {
  kind: 'grid',
  periods: ['Week 0', 'Week 1'],
  rows: [{ name: 'A', size: 10, values: [100, 40] }],
};

describe('the report format', () => {
  it.each([
    [{ kind: 'line', ...overBuckets }],
    [{ kind: 'bar', ...overBuckets, title: 'T', unit: '€', breakdown: 'Country', description: 'D' }],
    [{ kind: 'line', buckets: ['a'], series: [{ name: 'x', values: [null] }] }],
    [funnel],
    [{ ...funnel, breakdown: 'Device', series: [{ name: 'Phone', values: [120, 10] }] }],
    [grid],
    [
      {
        ...grid,
        rows: [
          { name: 'A', values: [100] },
          { name: 'B', values: [] },
        ],
      },
    ],
    [{ ...grid, further: 'properties are no obstacle' }],
  ])('is %j', (content) => {
    expect(parseContent(content)?.kind).toBe(content.kind);
  });

  it.each([
    [null],
    [7],
    ['line'],
    [[]],
    [{}],
    [{ kind: 'pie', ...overBuckets }],
    [{ kind: 'line', buckets: [], series: [{ name: 'x', values: [] }] }],
    [{ kind: 'line', buckets: ['a', 'b'], series: [{ name: 'x', values: [1] }] }],
    [{ kind: 'line', buckets: ['a', 'a'], series: [{ name: 'x', values: [1, 2] }] }],
    [{ kind: 'line', buckets: ['a'], series: [{ name: 'x', values: ['1'] }] }],
    [{ kind: 'line', buckets: Array.from({ length: 401 }, String), series: [] }],
    [{ ...funnel, steps: [{ name: 'Seen', count: -1 }] }],
    [{ ...funnel, series: [{ name: 'Phone', values: [1] }] }],
    [{ ...grid, rows: [{ name: 'A', values: [1, 2, 3] }] }],
  ])('is not %j: it is shown as a table', (content) => {
    expect(parseContent(content)).toBeUndefined();
  });
});

describe('a drawing', () => {
  const drawn = async (content: unknown) => {
    const parsed = parseContent(content);
    if (parsed === undefined) throw new Error('not drawn');
    return draw(parsed, [{ number: 1, first: 0, last: 0 }]);
  };

  it.each([[{ kind: 'line', ...overBuckets }], [{ kind: 'bar', ...overBuckets }], [funnel], [grid]])(
    'of %j is SVG for a wide page and for a phone, without styles or scripts',
    async (content) => {
      const { wide, narrow } = await drawn(content);
      for (const svg of [wide, narrow]) {
        expect(svg).toMatch(/^<svg [^>]*viewBox="[^"]+"/);
        expect(svg).not.toMatch(/style=|<script|<style|<image|href=|NaN|Infinity|undefined/);
      }
      expect(wide).not.toBe(narrow);
    },
  );

  it('escapes user text', async () => {
    const evil = '"><script>alert(1)</script>';
    const { wide } = await drawn({ kind: 'funnel', unit: evil, steps: [{ name: evil, count: 1 }] });
    expect(wide).not.toContain('<script');
    expect(wide).toContain('&lt;script&gt;');
  });

  it('works with values that are all missing, zero or negative', async () => {
    for (const values of [
      [null, null],
      [0, 0],
      [-5, -1],
    ]) {
      await drawn({ kind: 'line', ...overBuckets, series: [{ name: 'x', values }] });
      await drawn({ kind: 'bar', ...overBuckets, series: [{ name: 'x', values }] });
      await drawn({ ...grid, rows: [{ name: 'A', values }] });
    }
    await drawn({ ...funnel, steps: [{ name: 'Seen', count: 0 }] });
  });
});

describe('the table of a chart', () => {
  it('has every value', () => {
    const tableOf = (content: unknown) => {
      const parsed = parseContent(content);
      return (
        parsed &&
        dataTable(parsed)
          .toString()
          .replaceAll(/<[^>]+>/g, ' ')
          .replaceAll(/\s+/g, ' ')
          .trim()
      );
    };
    expect(tableOf({ kind: 'line', ...overBuckets, unit: 'x' })).toBe(
      'In x Day Web 2026-02-01 1 2026-02-02 2',
    );
    expect(tableOf(funnel)).toBe(
      'Step Count Of the step before Of the first Seen 200 – 100% Paid 50 25% 25%',
    );
    expect(tableOf({ ...grid, unit: '%' })).toBe('In % Size Week 0 Week 1 A 10 100% 40%');
  });

  it('and its chart have a text alternative', () => {
    const parsed = parseContent({ kind: 'line', ...overBuckets, unit: 'sign-ups' });
    expect(parsed && summarise(parsed)).toBe(
      'Line chart. From 2026-02-01 to 2026-02-02. Web: 1 sign-ups to 2 sign-ups, ending at 2 sign-ups. All values are in the table below.',
    );
  });
});

describe('other content', () => {
  const text = (value: unknown) => renderAnyJson(value).toString();

  it('is a table of its properties, rows and values', () => {
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

  it('is escaped, names and values', () => {
    const evil = '<script>alert(1)</script>';
    expect(text({ [evil]: evil, list: [evil, { [evil]: [evil] }] })).not.toContain('<script');
  });

  it('is cut when it is long, deep or wide', () => {
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
