import { existsSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';

/** The headless shell has no windows. A page in it takes a quarter of the CPU time that it takes in Chromium. */
const INSTALLED = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
const CHROMIUM = process.env['CHROMIUM_PATH'] ?? INSTALLED.find((path) => existsSync(path));

/** Whether there is a browser. Tests that need one are skipped without it, and fail with REQUIRE_BACKINGS=1. */
export const hasChromium = CHROMIUM !== undefined || process.env['REQUIRE_BACKINGS'] === '1';

/** Starts Chromium with its update checks turned off. The caller must close it. */
export async function openBrowser(): Promise<Browser> {
  if (CHROMIUM === undefined) {
    throw new Error("no browser; install Debian's chromium-headless-shell or set CHROMIUM_PATH");
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

/** Gives the page a platform authenticator that keeps passkeys and confirms every request. */
export async function addAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}
