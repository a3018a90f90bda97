import { parseContent, tableOf } from '@switchboard/report-content';
import { describe, expect, it } from 'vitest';
import { printable, textTable } from './text-table.ts';

describe('a report as text', () => {
  it('has a column for each series and a line for each bucket, with totals', () => {
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

  it.each([
    ['\u001b[2J\u001b[31mred\u0007', 'red '],
    ['a\nb\r\tc', 'a b c'],
    ['\u202egnp.exe', ' gnp.exe'],
    ['\u009b31mx', 'x'],
    ['Zoë 日本', 'Zoë 日本'],
    ['x'.repeat(80), `${'x'.repeat(59)}…`],
  ])('shows %j as %j: no name moves the cursor', (text, shown) => {
    expect(printable(text)).toBe(shown);
  });
});
