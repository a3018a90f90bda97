import { setImmediate } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { createRenderer } from './renderer.ts';

const renderer = createRenderer();
afterAll(() => renderer.stop());

const asked = (name: string, body = '{"report":null}') => ({
  shown: {
    kind: 'report' as const,
    project: name,
    name,
    expiresOn: '2026-03-10',
    notes: [],
    run: { ranAt: new Date('2026-03-01T12:00:00Z'), body: Buffer.from(body) },
  },
  language: 'en' as const,
});
const titleOf = async (name: string, body?: string) =>
  /<h1>(.*)<\/h1>/.exec(await renderer.render(asked(name, body), name))?.[1];

describe('the thread that renders pages', () => {
  it('renders several pages that are requested at once, each as requested', async () => {
    const names = Array.from({ length: 5 }, (_, at) => `Report ${at}`);
    expect(await Promise.all(names.map((name) => titleOf(name)))).toEqual(names);
  });

  it('continues after a page that fails', async () => {
    await expect(titleOf('broken', 'no JSON')).rejects.toThrow(/JSON/);
    expect(await titleOf('next')).toBe('next');
  });

  it('answers 503 for the page in progress when its thread ends', async () => {
    const ending = createRenderer();
    const lost = ending.render(asked('lost'), 'lost').catch((error: unknown) => error);
    // Rendering has begun, but the thread has not finished starting.
    await setImmediate();
    await ending.stop();
    expect(await lost).toMatchObject({ status: 503 });
  });
});

describe('the thread that draws charts', () => {
  const buckets = ['2026-02-01', '2026-02-02'];
  const one = { name: 'Web', values: [40, 42] };
  const two = { name: 'App <&>', values: [10, 12] };
  const draw = (report: object) =>
    renderer.draw({ report: JSON.stringify(report), name: 'Orders', width: 510, language: 'en' }, 'shop');
  /** Returns the size in the header of a PNG. */
  const sizeOf = (png: Uint8Array) => {
    const header = Buffer.from(png.slice(0, 24));
    expect(header.toString('latin1', 1, 4)).toBe('PNG');
    return [header.readUInt32BE(16), header.readUInt32BE(20)];
  };

  it('draws lines in twice their size, with a text that describes them and the colours of the series', async () => {
    const [chart, ...more] = await draw({ kind: 'line', buckets, interval: 'day', series: [one, two] });
    expect(more).toEqual([]);
    expect(sizeOf(chart?.png ?? new Uint8Array())).toEqual([1020, 600]);
    expect(chart?.alt).toMatch(/^Orders\. .*Web.*App <&>/s);
    expect(chart?.legend).toEqual([
      { name: 'Web', colour: '#2f4ff0' },
      { name: 'App <&>', colour: '#a3602a' },
    ]);
    const [alone] = await draw({ kind: 'line', buckets, interval: 'day', series: [one] });
    expect(alone?.legend).toEqual([]);
  });

  it('draws the names of buckets', async () => {
    const named = async (...names: string[]) =>
      (await draw({ kind: 'bar', buckets: names, series: [one] }))[0]?.png;
    const [first, same, other] = [
      await named('alpha', 'beta'),
      await named('alpha', 'beta'),
      await named('gamma', 'delta'),
    ];
    expect(first).toEqual(same);
    expect(first).not.toEqual(other);
  });

  it('draws pies, maps and paths, a chart for each unit, and none for what its page shows as a table or list', async () => {
    const [pie] = await draw({ kind: 'line', display: 'pie', buckets, series: [one, two] });
    expect([pie?.width, sizeOf(pie?.png ?? new Uint8Array())]).toEqual([290, [580, 580]]);
    const countries = [
      { ...one, name: 'DE' },
      { ...two, name: 'SG' },
    ];
    const [map] = await draw({ kind: 'line', display: 'map', buckets, series: countries });
    expect(sizeOf(map?.png ?? new Uint8Array())).toEqual([1020, 480]);
    expect(map?.alt).toContain('Germany: 82. Singapore: 22.');
    expect(map?.legend.at(-1)).toEqual({ name: '80 – 82', colour: '#121a9d' });
    const units = [
      { ...one, unit: 'EUR' },
      { ...two, unit: '%' },
    ];
    expect(await draw({ kind: 'line', buckets, series: units })).toHaveLength(2);
    const levels = [[{ name: 'Visit', count: 8 }], [{ name: 'Buy', count: 2 }]];
    const links = [{ level: 0, from: 0, to: 0, count: 2 }];
    expect(await draw({ kind: 'paths', levels, links })).toHaveLength(1);
    expect(await draw({ kind: 'line', display: 'number', buckets, series: [one] })).toEqual([]);
    expect(await draw({ kind: 'funnel', steps: [{ name: 'Visit', count: 8 }] })).toEqual([]);
    expect(await draw({ any: 'thing' })).toEqual([]);
  });

  it('draws no chart with characters that the font lacks, unless they are only in its legend', async () => {
    const bars = (name: string, bucket: string) =>
      draw({ kind: 'bar', buckets: [bucket, 'b'], series: [{ ...one, name }, two] });
    for (const unknown of ['日本', '\u{1f600}', 'مصر']) expect(await bars('Web', unknown)).toEqual([]);
    for (const known of ['Ελλάδα', 'Россия', 'Łódź', '€ 5 – 10'])
      expect(await bars('Web', known)).toHaveLength(1);
    expect((await bars('日本', 'a'))[0]?.legend[0]?.name).toBe('日本');
  });

  it('draws names with characters that have a meaning in SVG or none in XML', async () => {
    const hostile = '</style><image href="file:///etc/passwd"/>\u0001\ud800 ]]>&amp; var(--text)';
    const charts = await draw({
      kind: 'bar',
      title: hostile,
      buckets: [hostile, 'b'],
      series: [{ name: hostile, values: [1, 2] }],
    });
    expect(charts.map(({ png }) => sizeOf(png))).toEqual([[1020, 600]]);
  });
});
