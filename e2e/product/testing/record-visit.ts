import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { call, eventually, openBrowser } from '@switchboard/testkit';
import type { Page } from 'playwright-core';
import { z } from 'zod';

/** When the visitor of the demo's recording adds a product to the basket, as `deploy/demo` counts it. */
const BASKET_MS = 52_958;
const SHOP = 'https://shop.lumen.example';
const FILE = 'deploy/demo/src/seed/replay/recording.json.gz';
/** The time in which the SDK sends what it recorded last. */
const LAST_CHUNK_MS = 6_000;

const HOME = process.env['SWITCHBOARD_HOME'] || '.switchboard';
const demo = z
  .object({ base_url: z.string(), project_id: z.string(), tokens: z.object({ owner: z.string() }) })
  .parse(JSON.parse(await readFile(join(HOME, 'demo.json'), 'utf8')));

/** Moves to an element as a hand does, and waits there. */
async function look(page: Page, selector: string, ms: number): Promise<void> {
  await page.locator(selector).first().scrollIntoViewIfNeeded();
  const box = await page.locator(selector).first().boundingBox();
  if (box !== null) await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 20 });
  await page.waitForTimeout(ms);
}

/** Records a visit of the shop of a running standalone with the SDK: a visitor adds a gas stove, and leaves. */
async function recordVisit(): Promise<void> {
  const browser = await openBrowser();
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(`${demo.base_url}/demo`);
  await page.locator('#products li').first().waitFor();
  // The panel shows data of this machine, and the settings contain its addresses.
  await page.evaluate(`{
    const [sheet] = document.styleSheets;
    sheet.insertRule('body.demo { grid-template-columns: minmax(0, 1fr) }', sheet.cssRules.length);
    sheet.insertRule('.demo .panel { display: none }', sheet.cssRules.length);
    document.getElementById('panel').setAttribute('data-switchboard-block', '');
    delete document.body.dataset.settings;
    document.getElementById('record').click();
  }`);
  const startedAt = Date.now();
  await look(page, '.product:nth-child(1) h3', 4_000);
  await look(page, '.product:nth-child(2) p', 5_000);
  await look(page, '.product:nth-child(4) h3', 4_000);
  await look(page, '.product:nth-child(5) p', 6_000);
  await look(page, '.product:nth-child(3) .picture', 9_000);
  await look(page, '.product:nth-child(3) button', 1_000);
  await page.waitForTimeout(Math.max(0, startedAt + BASKET_MS - Date.now()));
  await page.locator('.product:nth-child(3) button').click();
  await look(page, '#total', 4_000);
  await look(page, '#checkout', 6_000);
  await page.locator('#bell').click();
  await look(page, '#inbox', 3_000);
  await page.locator('#bell').click();
  await look(page, '#checkout', 4_000);
  await page.waitForTimeout(LAST_CHUNK_MS);
  const session = await page.locator('#session').textContent();
  await browser.close();
  const url = `${demo.base_url}/v1/projects/${demo.project_id}/replays/${session}/events`;
  const events = await eventually(
    async () => {
      const { status, body } = await call('GET', url, { token: demo.tokens.owner });
      if (status !== 200) throw new Error(`${url} answers ${status}`);
      return z.array(z.looseObject({ type: z.int() })).parse(body);
    },
    { withinMs: 30_000 },
  );
  const text = JSON.stringify(events).replaceAll(/http:\/\/(127\.0\.0\.1|localhost):\d+/g, SHOP);
  await writeFile(FILE, gzipSync(text, { level: 9 }));
  console.log(`${events.length} events, ${text.length} bytes: ${FILE}`);
}

await recordVisit();
