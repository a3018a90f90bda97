import { createLogger } from '@switchboard/runtime';
import { afterAll, expect, it } from 'vitest';
import { createRenderer } from '../page/thread/renderer.ts';
import { createDrawCharts } from './charts.ts';

const renderer = createRenderer();
afterAll(() => renderer.stop());

const lines: string[] = [];
const destination = { write: (line: string) => void lines.push(line) };
const logger = createLogger({ service: 'test', level: 'warn', destination });
const drawCharts = createDrawCharts({ renderer, logger });

const UNITS = 6;
const sent = (id: string, report?: string) => ({
  id,
  name: id,
  ranAt: new Date('2026-03-01T12:00:00Z'),
  report:
    report ??
    JSON.stringify({
      kind: 'bar',
      buckets: ['a', 'b'],
      series: Array.from({ length: UNITS }, (_, at) => ({ name: `S${at}`, unit: `u${at}`, values: [1, 2] })),
    }),
});

it('draws at most 20 charts of a mail', async () => {
  const charts = await drawCharts(
    'shop',
    ['a', 'b', 'c', 'd', 'e'].map((id) => sent(id)),
  );
  expect(charts.map(({ length }) => length)).toEqual([6, 6, 6, 2, 0]);
});

it('draws the charts of the same runs once', async () => {
  const [first, again, later] = await Promise.all([
    drawCharts('shop', [sent('once')]),
    drawCharts('shop', [sent('once')]),
    drawCharts('shop', [{ ...sent('once'), ranAt: new Date() }]),
  ]);
  expect(again).toBe(first);
  expect(later).not.toBe(first);
});

it('logs a report that cannot be drawn, and draws the others', async () => {
  const charts = await drawCharts('shop', [sent('broken', 'no JSON'), sent('next')]);
  expect(charts.map(({ length }) => length)).toEqual([0, 6]);
  expect(lines.join('')).toContain('"report":"broken"');
});
