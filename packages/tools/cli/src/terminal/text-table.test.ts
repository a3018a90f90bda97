import { parseContent, tableOf } from '@switchboard/report-content';
import { describe, expect, it } from 'vitest';
import { printable, textTable } from './text-table.ts';

describe('a report as text', () => {
  it('prints a column for each series and a line for each bucket, with totals', () => {
    const content = parseContent({
      kind: 'bar',
      buckets: ['2026-03-02', '2026-03-09'],
      series: [
        { name: 'New', values: [1200, 5] },
        { name: 'Dormant', values: [-3, null] },
      ],
    });
    expect(content && textTable(tableOf(content))).toBe(
      [
        'Week of       New  Dormant',
        '2026-03-02  1,200       -3',
        '2026-03-09      5        -',
        'Total       1,205       -3',
        '',
      ].join('\n'),
    );
  });

  it('continues below with the columns that do not fit into a line', () => {
    const content = parseContent({
      kind: 'line',
      buckets: ['2026-03-01', '2026-03-02'],
      series: Array.from({ length: 144 }, (_, index) => ({
        name: `order placed: plan ${index}`,
        values: [1, 2],
      })),
    });
    const printed = content === undefined ? '' : textTable(tableOf(content));
    expect(printed.split('\n\n', 2)).toEqual([
      [
        'Day         order placed: plan 0  order placed: plan 1  order placed: plan 2  order placed: plan 3  order placed: plan 4',
        `2026-03-01${'                     1'.repeat(5)}`,
        `2026-03-02${'                     2'.repeat(5)}`,
        `Total     ${'                     3'.repeat(5)}`,
      ].join('\n'),
      expect.stringContaining('Day         order placed: plan 5'),
    ]);
    expect(printed.match(/plan \d+/g)).toHaveLength(144);
  });

  it.each([
    ['\u001b[2J\u001b[31mred\u0007', 'red '],
    ['a\nb\r\tc', 'a b c'],
    ['\u202egnp.exe', ' gnp.exe'],
    ['\u009b31mx', 'x'],
    ['Zoë 日本', 'Zoë 日本'],
    ['x'.repeat(80), `${'x'.repeat(59)}…`],
  ])('prints the name %j as %j, so that no name moves the cursor', (text, shown) => {
    expect(printable(text)).toBe(shown);
  });
});
