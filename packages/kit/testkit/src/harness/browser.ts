import { existsSync } from 'node:fs';
import type { Browser } from 'playwright-core';

const CHROMIUM = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';

/** Whether there is a browser. Tests that need one are skipped without it, and fail with REQUIRE_BACKINGS=1. */
export const hasChromium = existsSync(CHROMIUM) || process.env['REQUIRE_BACKINGS'] === '1';

/** Starts Chromium with its update checks turned off. The caller must close it. */
export async function openBrowser(): Promise<Browser> {
  if (!existsSync(CHROMIUM)) {
    throw new Error(`no browser at ${CHROMIUM}; install Debian's chromium or set CHROMIUM_PATH`);
  }
  // Loaded on use: most tests need no browser.
  const { chromium } = await import('playwright-core');
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}
