import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@switchboard/management';
import { eventually, openBrowser } from '@switchboard/testkit';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { z } from 'zod';
import { manyMembers } from './many-members.ts';

const LOADS = 5;
const ROUNDS = 3;
const ROWS = 100_000;
const TILES = 20;
const SCROLLS = 100;
/** The time in which a first load becomes quiet. */
const SETTLE_MS = 3_000;
/** The time between two changes of the page. */
const QUIET_MS = 500;
const HOME = process.env['SWITCHBOARD_HOME'] || '.switchboard';
const demo = z
  .object({
    base_url: z.string(),
    console_url: z.string(),
    project_id: z.string(),
    tokens: z.object({ owner: z.string() }),
  })
  .parse(JSON.parse(await readFile(join(HOME, 'demo.json'), 'utf8')));
const start = `${demo.console_url}/projects/${demo.project_id}`;

const vitals = z.object({
  lcp: z.number(),
  cls: z.number(),
  /** Durations of tasks above 50 ms. */
  tasks: z.array(z.number()),
});
type Vitals = z.infer<typeof vitals>;

/** Observes a page from its first script on. */
const OBSERVE = `
window.vitals = { lcp: 0, cls: 0, tasks: [] };
const on = (type, take) =>
  new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true });
on('largest-contentful-paint', ({ startTime }) => { vitals.lcp = startTime; });
on('layout-shift', ({ hadRecentInput, value }) => { vitals.cls += hadRecentInput ? 0 : value; });
on('longtask', ({ duration }) => { vitals.tasks.push(duration); });`;

/** Follows each link of the rail. Resolves with the times from a click to the frame that shows the page's heading. */
const FOLLOW_LINKS = `(async () => {
  const heading = () => document.querySelector('main h1');
  const frame = () => new Promise(requestAnimationFrame);
  const times = [];
  for (const link of document.querySelectorAll('nav[aria-label="Pages"] a')) {
    if (link.pathname === location.pathname) continue;
    const before = heading();
    const startedAt = performance.now();
    link.click();
    while (heading() === before || heading() === null) await frame();
    times.push(performance.now() - startedAt);
    await new Promise((resolve) => setTimeout(resolve, ${QUIET_MS}));
  }
  return times;
})()`;

/** Scrolls from the start of a list to its end. */
const SCROLL = `(async () => {
  const list = document.querySelector('table').parentElement;
  for (let step = 0; step <= ${SCROLLS}; step++) {
    list.scrollTop = (list.scrollHeight * step) / ${SCROLLS};
    await new Promise(requestAnimationFrame);
  }
})()`;

const vitalsOf = async (page: Page): Promise<Vitals> => vitals.parse(await page.evaluate('vitals'));
const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
const blocking = (tasks: readonly number[]) => tasks.reduce((sum, task) => sum + Math.max(0, task - 50), 0);

async function signedIn(browser: Browser): Promise<Awaited<ReturnType<BrowserContext['storageState']>>> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(start);
  await page.locator('form[action$="/as/user_ines"] button').click();
  await page.locator('main h1').waitFor();
  const state = await context.storageState();
  await context.close();
  return state;
}

/** Measures loads of Home without a cache. Each renews the session, so they take turns on one set of cookies. */
async function firstLoads(browser: Browser): Promise<Vitals[]> {
  const found: Vitals[] = [];
  let storageState = await signedIn(browser);
  for (let load = 0; load < LOADS; load++) {
    const context = await browser.newContext({ storageState });
    await context.addInitScript(OBSERVE);
    const page = await context.newPage();
    await page.goto(start);
    await page.locator('main h1').waitFor();
    await page.waitForTimeout(SETTLE_MS);
    found.push(await vitalsOf(page));
    storageState = await context.storageState();
    await context.close();
  }
  return found;
}

const routeChanges = async (page: Page) => z.array(z.number()).parse(await page.evaluate(FOLLOW_LINKS));

const metrics = z.object({ metrics: z.array(z.object({ name: z.string(), value: z.number() })) });

/** Scrolls through a list. Returns the CPU time of each frame in milliseconds, which other programs do not change. */
async function scroll(page: Page): Promise<number> {
  await page.route('**/v1/companies/*/members*', (route) => route.fulfill(manyMembers(ROWS)));
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const busySeconds = async () => {
    const all = metrics.parse(await session.send('Performance.getMetrics')).metrics;
    return all.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
  };
  await page.goto(`${start}/settings/members`);
  await page.getByRole('table', { name: 'Members' }).waitFor();
  await page.waitForTimeout(SETTLE_MS);
  const before = await busySeconds();
  await page.evaluate(SCROLL);
  return (1000 * ((await busySeconds()) - before)) / SCROLLS;
}

const EVENTS = ['page viewed', 'product seen', 'product added to basket', 'checkout begun', 'order placed'];
const owner = createClient({ url: demo.base_url, token: demo.tokens.owner, isConsole: true });
const board = { projectId: demo.project_id, dashboardId: 'speed' };
const reports = Array.from({ length: TILES }, (_, at) => ({
  params: { projectId: demo.project_id, reportId: `speed-${at}` },
  body: {
    name: `Speed ${at}`,
    query: {
      kind: 'trends' as const,
      range: { last: 30, unit: 'day' as const },
      series: [
        { event: EVENTS[at % EVENTS.length] ?? '' },
        { event: EVENTS[(at + 1) % EVENTS.length] ?? '' },
      ],
    },
  },
}));

/** Creates a dashboard. Resolves once all of its reports have run. */
async function createBoard(): Promise<void> {
  for (const report of reports) {
    await owner.call('putReport', report);
    await owner.call('runReport', { params: report.params });
  }
  const tiles = reports.map(({ params: { reportId } }, at) => ({
    reportId,
    x: (at % 3) * 4,
    y: Math.floor(at / 3) * 4,
    w: 4,
    h: 4,
  }));
  await owner.call('putDashboard', { params: board, body: { name: 'Speed', tiles } });
  await eventually(
    async () => {
      const { reports: found } = await owner.call('getDashboardReports', { params: board });
      if (found.length < TILES || found.some(({ ranAt }) => ranAt === null))
        throw new Error('not all have run');
    },
    { withinMs: 60_000 },
  );
}

async function deleteBoard(): Promise<void> {
  await owner.call('deleteDashboard', { params: board });
  for (const { params } of reports) await owner.call('deleteReport', { params });
}

/** Opens the dashboard. Resolves with the time from a click to the frame that shows the last chart. */
const OPEN_BOARD = `(async () => {
  const startedAt = performance.now();
  document.querySelector('main a[href$="/dashboards/speed"]').click();
  while (document.querySelectorAll('main svg[role="img"]').length < ${TILES}) await new Promise(requestAnimationFrame);
  return performance.now() - startedAt;
})()`;

/** Measures how a dashboard appears. Each time, the page has no result of a tile yet. */
async function boardPaints(page: Page): Promise<number[]> {
  await createBoard();
  const times: number[] = [];
  for (let load = 0; load < LOADS; load++) {
    await page.goto(`${start}/dashboards`);
    await page.locator('main a[href$="/dashboards/speed"]').waitFor();
    await page.waitForTimeout(SETTLE_MS);
    times.push(z.number().parse(await page.evaluate(OPEN_BOARD)));
    // The fresh results replace the runs.
    await page.waitForTimeout(SETTLE_MS);
  }
  await deleteBoard();
  return times;
}

/** Measures the console of a running standalone, as docs/reliability-and-benchmarks.md shows it. */
async function run(): Promise<void> {
  const browser = await openBrowser();
  const loads = await firstLoads(browser);
  const context = await browser.newContext({ storageState: await signedIn(browser) });
  await context.addInitScript(OBSERVE);
  const page = await context.newPage();
  await page.goto(start);
  await page.locator('main h1').waitFor();
  const first = await routeChanges(page);
  const later: number[] = [];
  for (let round = 1; round < ROUNDS; round++) later.push(...(await routeChanges(page)));
  const paints = await boardPaints(page);
  const perFrame = await scroll(page);
  await browser.close();
  const row = (name: string, value: number, unit: string) =>
    console.log(`${name.padEnd(56)}${value.toFixed(unit === '' ? 3 : 0)} ${unit}`);
  row('first load, largest contentful paint', median(loads.map(({ lcp }) => lcp)), 'ms');
  row('first load, total blocking time', median(loads.map(({ tasks: of }) => blocking(of))), 'ms');
  row('first load, cumulative layout shift', median(loads.map(({ cls }) => cls)), '');
  row('route change, first visit, median', median(first), 'ms');
  row('route change, later visits, median', median(later), 'ms');
  row(`dashboard of ${TILES} kept runs, to its last chart, median`, median(paints), 'ms');
  row(`scrolling ${ROWS} rows, CPU a frame`, perFrame, 'ms');
}

await run();
