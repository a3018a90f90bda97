import { expect, it } from 'vitest';
import { createLocale } from '../page/render/locale.ts';
import { composeSubscription } from './compose.ts';

const chart = (bytes: number, name = 'Web') => ({
  png: new Uint8Array(bytes),
  alt: `A "chart" of ${name}`,
  width: 510,
  legend: [{ name: `<${name}>`, colour: '#2f4ff0' }],
});
const report = (name: string) => ({
  id: name,
  name,
  ranAt: new Date('2026-03-01T12:00:00Z'),
  report: JSON.stringify({ kind: 'bar', buckets: ['a'], series: [{ name, values: [1] }] }),
});
const compose = (charts: ReturnType<typeof chart>[][]) =>
  composeSubscription(
    {
      kind: 'dashboard',
      name: 'Board',
      project: 'Shop',
      reports: [report('One'), report('Two')],
      charts,
      timeZone: 'UTC',
      isLast: false,
      links: { open: 'https://console.example/o', unsubscribe: 'https://console.example/u' },
      home: 'https://console.example',
    },
    createLocale('en'),
  );

it('shows each attached chart above the table of its report, with its text and the names of its series', () => {
  const { html, attachments } = compose([[chart(10)], [chart(10, 'App')]]);
  expect(attachments.map(({ filename, cid }) => [filename, cid])).toEqual([
    ['One.csv', undefined],
    ['Two.csv', undefined],
    ['chart-1-1.png', 'chart-1-1@switchboard'],
    ['chart-2-1.png', 'chart-2-1@switchboard'],
  ]);
  expect(html).toMatch(/One<\/h2>.*&lt;Web&gt;.*cid:chart-1-1@switchboard.*<table.*Two<\/h2>.*chart-2-1@/s);
  expect(html).toContain('alt="A &quot;chart&quot; of Web" width="510"');
});

it('attaches files of five megabytes at most, and shows no chart that is not attached', () => {
  const { html, attachments } = compose([[chart(3_000_000)], [chart(3_000_000), chart(1_000_000)]]);
  expect(attachments.map(({ filename }) => filename)).toEqual([
    'One.csv',
    'Two.csv',
    'chart-1-1.png',
    'chart-2-2.png',
  ]);
  expect(html.match(/cid:[\w-]+/g)).toEqual(['cid:chart-1-1', 'cid:chart-2-2']);
});
