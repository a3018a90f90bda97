import { hasChromium, openBrowser } from '@switchboard/testkit';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { composeMail } from './messages.ts';

describe.skipIf(!hasChromium)('a mail in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  const { html } = composeMail(
    {
      isMention: false,
      senderName: 'Ada Lovelace',
      reportName: 'Orders by country and by'.concat('x'.repeat(176)),
      note: `Please look at this.\n${'y'.repeat(300)}`,
      link: `https://console.example/projects/shop/reports/orders?filter=${'z'.repeat(200)}`,
      language: 'de',
    },
    'https://console.example',
  );

  it.each([320, 390, 768])('fits a mail to %d px without scrolling sideways', async (width) => {
    const page = await browser.newPage({ viewport: { width, height: 800 } });
    await page.setContent(html);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    expect(await page.evaluate("document.querySelector('.card').getBoundingClientRect().width")).toBe(
      Math.min(width - 24, 560),
    );
    await page.close();
  });

  it('follows the color scheme of the reader', async () => {
    const page = await browser.newPage({ colorScheme: 'light' });
    await page.setContent(html);
    const background = () =>
      page.evaluate("getComputedStyle(document.querySelector('.card')).backgroundColor");
    expect(await background()).toBe('rgb(255, 255, 255)');
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await background()).toBe('rgb(31, 30, 27)');
    await page.close();
  });
});
