import { readFile } from 'node:fs/promises';
import { colours, scale, series } from '@switchboard/design';
import { eventually, hasChromium, openBrowser } from '@switchboard/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { dayAhead, type Harness, startHarness } from '../testing/harness.ts';

const evil = '"><img src=x onerror=alert(1)><script>alert(2)</script>';
const line = {
  kind: 'line',
  title: 'Daily sign-ups',
  unit: 'sign-ups',
  breakdown: 'Plan',
  buckets: Array.from({ length: 28 }, (_, day) => `2026-02-${String(day + 1).padStart(2, '0')}`),
  series: ['Free', 'Paid'].map((name, at) => ({
    name,
    values: Array.from({ length: 28 }, (_, day) => 100 - at * 50 + day),
  })),
};
const reports = {
  line,
  bar: { ...line, kind: 'bar', title: 'Weekly revenue' },
  number: {
    ...line,
    title: 'Sign-ups',
    display: 'number',
    series: line.series.map((one) => ({ ...one, previous: line.buckets.map(() => 10) })),
  },
  pie: { ...line, title: 'Sign-ups by plan', display: 'pie' },
  area: { ...line, title: 'Sign-ups over time', display: 'area' },
  map: {
    kind: 'line',
    title: 'Visitors by country',
    display: 'map',
    breakdown: 'country',
    unit: 'people',
    buckets: ['2026-02-01 – 2026-02-28'],
    series: [
      ...Object.entries({ DE: 1200, US: 800, FR: 90, SG: 40, MT: 5, XX: 3 }).map(([name, value]) => ({
        name,
        values: [value],
        total: null,
      })),
      { name: '(none)', builtIn: 'none', values: [2], total: null },
    ],
  },
  long: {
    ...line,
    title: 'Long labels',
    unit: 'Bestellungen',
    buckets: line.buckets.map((day) => `${day}T23:00`),
    series: [{ name: 'Bestellungen', values: line.buckets.map((_, day) => 1_234_567 * (day + 1)) }],
  },
  many: {
    ...line,
    kind: 'bar',
    title: 'Orders by plan',
    series: Array.from({ length: 144 }, (_, at) => ({
      name: `Plan ${at}`,
      values: line.buckets.map(() => at),
    })),
  },
  lifecycle: {
    kind: 'bar',
    title: 'Lifecycle',
    unit: 'people',
    interval: 'week',
    buckets: ['2026-02-02', '2026-02-09', '2026-02-16'],
    series: ['New', 'Returning', 'Resurrecting', 'Dormant'].map((name, at) => ({
      name,
      builtIn: name.toLowerCase(),
      values: [9, 8, 7].map((value) => (at === 3 ? -value : value)),
    })),
  },
  funnel: {
    kind: 'funnel',
    title: 'Checkout',
    steps: ['Seen', 'In the basket', 'Paid'].map((name, at) => ({
      name,
      count: 900 - at * 400,
      medianSeconds: at === 0 ? null : 95,
    })),
  },
  grid: {
    kind: 'grid',
    title: 'Retention',
    unit: '%',
    periods: Array.from({ length: 10 }, (_, week) => `Week ${week}`),
    rows: ['First', 'Second'].map((name, at) => ({ name, size: 40, values: [100, 50 - at, null] })),
  },
  other: { anything: [{ a: 1, b: evil }] },
  hostile: { kind: 'bar', title: evil, unit: evil, buckets: [evil], series: [{ name: evil, values: [1] }] },
};
type Name = keyof typeof reports;

/** Lists the texts with too little contrast to their background. */
const UNREADABLE_TEXTS = `(() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const luminance = (colour) => {
    const [red, green, blue] = rgba(colour).slice(0, 3).map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const behind = (element) => {
    const badge = element.closest('.badge');
    if (badge) return getComputedStyle(badge.querySelector('rect')).fill;
    const found = getComputedStyle(element).backgroundColor;
    return rgba(found)[3] === 255 ? found : behind(element.parentElement);
  };
  return [...document.querySelectorAll('body *')].flatMap((element) => {
    const isText = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '');
    if (!isText || ['title', 'desc'].includes(element.tagName) || element.getClientRects().length === 0) return [];
    const style = getComputedStyle(element);
    const ink = element instanceof SVGElement ? style.fill : style.color;
    const [one, other] = [luminance(ink), luminance(behind(element))];
    const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    return contrast >= 4.5 ? [] : [element.textContent + ': ' + contrast.toFixed(2)];
  });
})()`;

/** Lists the axis labels that are cut off or overlap another label. */
const CROWDED_LABELS = `(() => {
  const drawing = [...document.querySelectorAll('.scroll > svg')].find((one) => one.getClientRects().length > 0);
  const edge = drawing.getBoundingClientRect();
  const labels = [...drawing.querySelectorAll('.role-axis-label text')].filter(({ textContent }) => textContent !== '');
  const boxes = labels.map((label) => label.getBoundingClientRect());
  const isOn = (one, other) =>
    one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
  return labels
    .filter((label, at) => {
      const box = boxes[at];
      const isCut = box.left < edge.left || box.right > edge.right || label.textContent.endsWith('…');
      return isCut || boxes.some((other) => other !== box && isOn(box, other));
    })
    .map(({ textContent }) => textContent);
})()`;

/** Returns a colour in the browser's computed form. */
const rgb = (hex = '') =>
  `rgb(${[1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)).join(', ')})`;

describe.skipIf(!hasChromium)('the page in a browser', () => {
  let harness: Harness;
  let browser: Browser;
  const tokens = new Map<string, string>();
  let addresses = 0;

  beforeAll(async () => {
    [harness, browser] = await Promise.all([startHarness(), openBrowser()]);
    const operator = harness.as('operator', ['service.manage']);
    const expiresOn = dayAhead(5);
    for (const [id, report] of Object.entries(reports)) {
      await harness.directory.put('report', {
        projectId: 'shop',
        id,
        name: `Report ${id}`,
        publicAnnotations: true,
      });
      const runs = `/management/v1/projects/shop/reports/${id}/runs`;
      await eventually(async () => expect((await operator.call('POST', runs, { report })).status).toBe(201));
      const path = `/v1/projects/shop/reports/${id}/public-link`;
      tokens.set(id, (await harness.as('ada').call('PUT', path, { expiresOn })).body.token);
    }
    await harness.as('ada').call('POST', '/v1/projects/shop/annotations', {
      startsOn: '2026-02-10',
      endsOn: '2026-02-14',
      text: `Spring campaign ${evil}`,
      tags: ['marketing'],
    });
  });
  afterAll(async () => {
    await browser.close();
    await harness.stop();
  });

  let page: Page;
  let complaints: string[];
  let requests: string[];
  afterEach(() => page.close());

  async function open(name: Name, options: Parameters<Browser['newPage']>[0] = {}): Promise<Page> {
    const address = `10.9.0.${++addresses}`;
    page = await browser.newPage({ ...options, extraHTTPHeaders: { 'x-forwarded-for': address } });
    complaints = [];
    requests = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('dialog', (dialog) => complaints.push(`dialog ${dialog.message()}`));
    page.on('request', (request) => requests.push(request.url()));
    const response = await page.goto(`${harness.url}/shared/${tokens.get(name)}`);
    expect(response?.status()).toBe(200);
    return page;
  }

  const names = Object.keys(reports) as Name[];

  it.each(names)('loads nothing else for %s, and does not violate its policy', async (name) => {
    await open(name);
    expect(requests).toHaveLength(1);
    expect(complaints).toEqual([]);
    expect(await page.locator('script, img, iframe, link:not([rel="icon"])').count()).toBe(0);
  });

  it.each(names)('fits %s to a phone, a tablet and a desk without scrolling sideways', async (name) => {
    await open(name);
    for (const width of [390, 768, 1280]) {
      await page.setViewportSize({ width, height: 844 });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    }
  });

  it.each(['line', 'bar', 'lifecycle', 'long', 'many'] as const)(
    'leaves room for every axis label of %s, also for the longest words',
    async (name) => {
      for (const locale of ['de', 'ja']) {
        await open(name, { locale });
        for (const width of [390, 768, 1280]) {
          await page.setViewportSize({ width, height: 844 });
          expect(await page.evaluate(CROWDED_LABELS), `${locale}, ${width} pixels`).toEqual([]);
        }
        if (locale !== 'ja') await page.close();
      }
    },
  );

  it('shows axis labels of about the same size on a phone, a tablet and a desk', async () => {
    await open('line');
    for (const width of [390, 768, 1280]) {
      await page.setViewportSize({ width, height: 844 });
      const size = await page.evaluate<number>(`(() => {
        const label = [...document.querySelectorAll('.role-axis-label text')].find((one) => one.getClientRects().length > 0);
        return label.getScreenCTM().a * parseFloat(label.getAttribute('font-size'));
      })()`);
      expect(size).toBeGreaterThan(10.5);
      expect(size).toBeLessThan(14.5);
    }
  });

  it.each(names)(
    'keeps %s readable in both colour schemes, with a contrast of at least 4.5 to 1',
    async (name) => {
      await open(name);
      await page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await page.evaluate<string[]>(UNREADABLE_TEXTS)).toEqual([]);
      }
    },
  );

  it.each(['line', 'bar', 'lifecycle'] as const)(
    'describes %s with a name, a description and a table of its values',
    async (name) => {
      await open(name);
      const picture = page.getByRole('img', { name: reports[name].title });
      expect(await picture.count()).toBe(1);
      const described = await picture.getAttribute('aria-describedby');
      expect(await page.locator(`#${described}`).textContent()).toMatch(
        /All values are in the table below\.$/,
      );
      if (name !== 'lifecycle') await page.locator('summary').click();
      expect(await page.getByRole('columnheader').count()).toBeGreaterThan(1);
      expect(await page.getByRole('rowheader').count()).toBeGreaterThan(1);
      expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(reports[name].title);
    },
  );

  it('shows one drawing at a time: the wide one on a screen and on paper, the narrow one on a phone', async () => {
    const visible = async () => [
      await page.locator('.wide').isVisible(),
      await page.locator('.narrow').isVisible(),
    ];
    await open('line', { viewport: { width: 390, height: 844 } });
    expect(await visible()).toEqual([false, true]);
    await page.emulateMedia({ media: 'print' });
    expect(await visible()).toEqual([true, false]);
    await page.setViewportSize({ width: 1100, height: 800 });
    await page.emulateMedia({ media: 'screen' });
    expect(await visible()).toEqual([true, false]);
  });

  it('follows the color scheme, drawing included, and prints light', async () => {
    const drawn = () =>
      page.evaluate(`(() => {
        const of = (element, name) => getComputedStyle(element)[name];
        const line = document.querySelector('.wide svg path[stroke^="var(--series"]');
        return [of(document.body, 'backgroundColor'), of(document.body, 'color'), of(line, 'stroke')];
      })()`);
    await open('line', { colorScheme: 'light' });
    const light = await drawn();
    expect(light).toEqual([rgb(colours.surface.light), rgb(colours.text.light), rgb(series[0]?.light)]);
    await page.emulateMedia({ colorScheme: 'dark' });
    const dark = await drawn();
    expect(dark).toEqual([rgb(colours.surface.dark), rgb(colours.text.dark), rgb(series[0]?.dark)]);
    await page.emulateMedia({ colorScheme: 'dark', media: 'print' });
    expect(await drawn()).toEqual(['rgb(255, 255, 255)', rgb(colours.text.light), rgb(series[0]?.light)]);
  });

  it('draws an annotation on its days, with its number in the list', async () => {
    await open('line');
    expect(await page.locator('.wide svg text', { hasText: /^1$/ }).count()).toBe(1);
    const item = page.getByRole('listitem').filter({ hasText: 'Spring campaign' });
    expect(await item.textContent()).toContain(`1Spring campaign ${evil}10 Feb 2026 – 14 Feb 2026`);
    const shade = await page.locator('.wide svg .band').first().boundingBox();
    const chart = await page.locator('.wide svg').boundingBox();
    if (shade === null || chart === null) throw new Error('not drawn');
    // Five of 28 days.
    expect(shade.width / chart.width).toBeGreaterThan(4 / 30);
    expect(shade.width / chart.width).toBeLessThan(6 / 28);
  });

  it('draws a line per series and a bar per value, below zero too, with annotations in front of bars', async () => {
    const count = async (name: Name, selector: string) => {
      await open(name);
      const found = await page.locator(`.wide svg ${selector}`).count();
      if (name !== 'lifecycle') await page.close();
      return found;
    };
    expect(await count('line', '.mark-line path')).toBe(2);
    expect(await count('bar', '.mark-rect path[fill^="var(--series"]')).toBe(56);
    expect(await count('lifecycle', '.mark-rect path[fill^="var(--series"]')).toBe(12);
    const isBehind = await page.evaluate(`(() => {
      const [bar, band] = ['.mark-rect path[fill^="var(--series"]', '.band'].map((one) => document.querySelector('.wide svg ' + one));
      return Boolean(bar.compareDocumentPosition(band) & Node.DOCUMENT_POSITION_FOLLOWING);
    })()`);
    expect(isBehind).toBe(true);
  });

  it('names the values under the pointer, without a script', async () => {
    await open('lifecycle');
    const area = page.locator('.wide svg .hit').nth(1);
    expect(await area.locator('title').textContent()).toBe(
      'Week of 9 Feb 2026\nNew: 8 people\nReturning: 8 people\nResurrecting: 8 people\nDormant: 8 people',
    );
    const opacity = () =>
      page.evaluate("getComputedStyle(document.querySelectorAll('.wide svg .hit')[1]).opacity");
    expect(await opacity()).toBe('0');
    await area.hover();
    expect(await opacity()).toBe('0.07');
  });

  it('names countries in the language of the visitor, on the map and in the table, and by code in the file', async () => {
    await open('map', { locale: 'de' });
    const map = page.getByRole('img', { name: 'Visitors by country' });
    expect(await map.locator('path[fill] title').allTextContents()).toEqual([
      'Deutschland: 1.200 Personen',
      'Vereinigte Staaten: 800 Personen',
      'Frankreich: 90 Personen',
    ]);
    expect(await map.locator('.dot title').allTextContents()).toEqual([
      'Malta: 5 Personen',
      'Singapur: 40 Personen',
    ]);
    expect(await page.getByRole('rowheader').allTextContents()).toEqual([
      ...['Deutschland', 'Vereinigte Staaten', 'Frankreich', 'Singapur', 'Malta', 'XX', '(kein Wert)'],
    ]);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'CSV' }).click(),
    ]);
    const rows = (await readFile(await download.path(), 'utf8')).split('\r\n');
    expect(rows.slice(0, 3)).toEqual(['\ufeff"country","2026-02-01 – 2026-02-28"', '"DE",1200', '"US",800']);
  });

  it('draws a map as wide as its card, with dots that do not shrink with it', async () => {
    await open('map');
    for (const [width, size] of [
      [390, '5px'],
      [1280, '7px'],
    ] as const) {
      await page.setViewportSize({ width, height: 844 });
      const [map, card] = await Promise.all([
        page.getByRole('img', { name: 'Visitors by country' }).boundingBox(),
        page.locator('.card.map').boundingBox(),
      ]);
      expect(map?.width).toBeGreaterThan((card?.width ?? 0) * 0.9);
      const style = "getComputedStyle(document.querySelector('.dot'))";
      expect(await page.evaluate(`[${style}.stroke, ${style}.strokeWidth, ${style}.vectorEffect]`)).toEqual([
        rgb(scale[0]?.light),
        size,
        'non-scaling-stroke',
      ]);
    }
  });

  it('draws a funnel as wide as its card, with the people lost at each step', async () => {
    await open('funnel');
    const widths = await page.evaluate(
      "[...document.querySelectorAll('.bar rect[fill]')].map((one) => Math.round(one.getBoundingClientRect().width))",
    );
    const card = await page.locator('.steps').boundingBox();
    expect(widths).toEqual([900, 500, 100].map((count) => Math.round(((card?.width ?? 0) * count) / 900)));
    expect(await page.locator('.between').allTextContents()).toEqual([
      '↓400 lost (44.4%)median 1 min 35 secs',
      '↓400 lost (80%)median 1 min 35 secs',
    ]);
  });

  it('keeps the first column of a grid, with sizes, in sight on a phone', async () => {
    await open('grid', { viewport: { width: 390, height: 844 } });
    await page.evaluate("document.querySelector('.scroll').scrollLeft = 400");
    const row = page.getByRole('rowheader', { name: /First/ });
    expect(await row.textContent()).toBe('First40');
    const box = await row.boundingBox();
    expect(box?.x).toBeGreaterThanOrEqual(0);
    expect(await page.locator('.heat tbody td.value').count()).toBe(4);
  });

  it('downloads the values of the report', async () => {
    await open('line');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('Daily sign-ups.csv');
    const rows = (await readFile(await download.path(), 'utf8')).split('\r\n');
    expect([rows[0], rows[1], rows.length]).toEqual(['\ufeff"Day","Free","Paid"', '"2026-02-01",100,50', 30]);
  });

  it('supports the keyboard: scrollable areas take a visible focus', async () => {
    await open('grid', { viewport: { width: 390, height: 844 } });
    await page.keyboard.press('Tab');
    const focused = await page.evaluate(`(() => {
      const { className, scrollWidth, clientWidth } = document.activeElement;
      return { className, scrolls: scrollWidth > clientWidth, outline: getComputedStyle(document.activeElement).outlineStyle };
    })()`);
    expect(focused).toEqual({ className: 'scroll', scrolls: true, outline: 'solid' });
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => page.evaluate('document.activeElement.scrollLeft')).toBeGreaterThan(0);
  });

  it('prints pages with the whole table', async () => {
    await open('line');
    const pdf = await page.pdf({ format: 'A4' });
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
    expect(pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length).toBeGreaterThan(1);
  });
});
