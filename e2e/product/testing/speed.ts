import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openBrowser } from '@switchboard/testkit';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { z } from 'zod';
import { manyMembers } from './many-members.ts';

const LOADS = 5;
const ROUNDS = 3;
const ROWS = 100_000;
const SCROLLS = 100;
/** The time in which a first load becomes quiet. */
const SETTLE_MS = 3_000;
/** The time between two changes of the page. */
const QUIET_MS = 500;
const HOME = process.env['SWITCHBOARD_HOME'] || '.switchboard';
const demo = z
  .object({ console_url: z.string(), project_id: z.string() })
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
  const perFrame = await scroll(page);
  await browser.close();
  const row = (name: string, value: number, unit: string) =>
    console.log(`${name.padEnd(44)}${value.toFixed(unit === '' ? 3 : 0)} ${unit}`);
  row('first load, largest contentful paint', median(loads.map(({ lcp }) => lcp)), 'ms');
  row('first load, total blocking time', median(loads.map(({ tasks: of }) => blocking(of))), 'ms');
  row('first load, cumulative layout shift', median(loads.map(({ cls }) => cls)), '');
  row('route change, first visit, median', median(first), 'ms');
  row('route change, later visits, median', median(later), 'ms');
  row(`scrolling ${ROWS} rows, CPU a frame`, perFrame, 'ms');
}

await run();
