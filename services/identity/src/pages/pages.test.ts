import { hasChromium, openBrowser } from '@switchboard/testkit';
import axe from 'axe-core';
import { Secret, TOTP } from 'otpauth';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestBrowser } from '../testing/browser.ts';
import { type IdentityHarness, OWNER, PASSWORD, startIdentity } from '../testing/harness.ts';

const WIKI = { id: 'wiki', name: 'Wiki', redirectUris: ['https://wiki.example/back'] };
/** A folder for pictures of every page, for people to look at. */
const PICTURES = process.env['PAGE_PICTURES'];

let identity: IdentityHarness;
let link: string;
beforeAll(async () => {
  identity = await startIdentity({ env: { OIDC_CLIENTS: JSON.stringify([WIKI]) } });
  link = await identity.setUpLink();
});
afterAll(() => identity.stop());

const wikiSignIn = () =>
  `${identity.issuer}/authorize?${new URLSearchParams({
    client_id: WIKI.id,
    redirect_uri: WIKI.redirectUris[0] ?? '',
    response_type: 'code',
    scope: 'openid profile email',
    state: 'wiki-state',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  })}`;

describe.skipIf(!hasChromium)('pages in a browser', () => {
  let chromium: Browser;
  let context: BrowserContext;
  let page: Page;
  beforeAll(async () => {
    chromium = await openBrowser();
    context = await chromium.newContext();
    page = await context.newPage();
  });
  afterAll(() => chromium?.close());

  /**
   * Expects that the current page has no accessibility violation and no sideways scrolling, at any width and scheme,
   * in both directions of text. A window of 1280 pixels has 640 at a zoom of 200%, and 320 at 400%.
   */
  async function check(name: string): Promise<void> {
    for (const [colorScheme, direction] of [
      ['light', 'ltr'],
      ['light', 'rtl'],
      ['dark', 'ltr'],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.evaluate(`document.documentElement.dir = '${direction}'`);
      for (const width of [320, 640, 1280, 1920]) {
        await page.setViewportSize({ width, height: 900 });
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
        if (PICTURES === undefined || width > 1280) continue;
        const path = `${PICTURES}/${name}-${colorScheme}-${direction}-${width}.png`;
        await page.screenshot({ path, fullPage: true });
      }
      await page.evaluate(axe.source);
      const { violations } = (await page.evaluate('axe.run()')) as axe.AxeResults;
      expect(
        violations.map(({ id, nodes }) => `${name}: ${id} ${nodes.map(({ html }) => html).join(' ')}`),
      ).toEqual([]);
    }
  }

  const open = (path: string) => page.goto(`${identity.issuer}/${path}`);

  it('have no accessibility violations, and work by keyboard alone, from set-up to sign-out', async () => {
    const { keyboard } = page;
    await page.goto(link);
    await check('set-up');
    for (const text of [OWNER.name, OWNER.email, PASSWORD]) {
      await keyboard.type(text);
      await keyboard.press('Tab');
    }
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    await check('account');

    await open('account/invite');
    await keyboard.type('acme');
    await keyboard.press('Tab');
    await keyboard.type('grace@acme.example');
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: 'The invitation is sent' }).waitFor();
    await check('invitation-sent');
    await open('account/invite');
    await check('invite');
    await page.goto(await identity.mailedLink('grace@acme.example'));
    await check('invitation');

    await open('account/authenticator');
    await check('authenticator');
    const secret = (await page.textContent('code')) ?? '';
    await keyboard.type(new TOTP({ secret: Secret.fromBase32(secret) }).generate());
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Recovery codes' }).waitFor();
    await check('recovery-codes');
    const recovery = (await page.textContent('code')) ?? '';

    await page.goto(wikiSignIn());
    await page.getByRole('heading', { name: 'Allow Wiki to sign you in?' }).waitFor();
    await check('consent');
    await open('device');
    await check('device');
    await open('sign-out');
    await check('sign-out');
    await page.getByRole('button', { name: 'Sign out' }).press('Enter');
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    await check('signed-out');

    await open('sign-in/account');
    await check('sign-in');
    await keyboard.type(OWNER.email);
    await keyboard.press('Tab');
    await keyboard.type('wrong');
    await keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await check('wrong-password');
    await page.getByLabel('Password').press('Shift+Tab');
    await keyboard.press('Tab');
    await keyboard.type(PASSWORD);
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Enter a code' }).waitFor();
    await check('code');
    await keyboard.type(recovery);
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
  }, 180_000);

  it.each([
    ['sso', 'sign-in/account/sso'],
    ['reset', 'reset'],
    ['expired-link', 'reset/unknown'],
    ['expired-sign-in', 'sign-in/unknown'],
    ['error', 'authorize?client_id=unknown'],
  ])(
    'have no accessibility violations at %s',
    async (name, path) => {
      await open(path);
      await check(name);
    },
    60_000,
  );
});

describe('consent', () => {
  async function signedIn(): Promise<TestBrowser> {
    const browser = identity.browser();
    await browser.open(wikiSignIn());
    await identity.sql`update accounts set totp_secret = null`;
    await browser.submit({ email: OWNER.email, password: PASSWORD });
    expect(browser.html).toContain('Allow Wiki to sign you in?');
    return browser;
  }

  beforeAll(async () => {
    if (!hasChromium) await identity.setUp();
  });

  it('is asked of a person before another application learns who they are, and ends with a code once given', async () => {
    const browser = await signedIn();
    await browser.submit({ allow: 'yes' });
    const back = new URL(browser.url);
    expect([back.origin, back.searchParams.get('state')]).toEqual(['https://wiki.example', 'wiki-state']);
    expect(back.searchParams.get('code')).toBeTypeOf('string');
    await browser.open(wikiSignIn());
    expect(new URL(browser.url).searchParams.get('code')).toBeTypeOf('string');
  });

  it('tells the application when the person refuses', async () => {
    const browser = await signedIn();
    await browser.submit({ allow: 'no' });
    const back = new URL(browser.url);
    expect([back.origin, back.searchParams.get('error')]).toEqual(['https://wiki.example', 'access_denied']);
  });
});
