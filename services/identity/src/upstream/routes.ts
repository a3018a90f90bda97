import type { ServiceApp } from '@switchboard/http';
import type { Logger } from '@switchboard/runtime';
import { getCookie, setCookie } from 'hono/cookie';
import { html } from 'hono/html';
import { z } from 'zod';
import { type Browser, type BrowserContext, fieldsOf } from '../browser/browser.ts';
import type { Limits } from '../limits/limits.ts';
import { MOUNT, type Page } from '../pages/document.ts';
import { textsOf } from '../pages/texts/languages.ts';
import type { Complete } from '../sign-in/complete.ts';
import type { Interactions } from '../sign-in/interactions.ts';
import { expiredPage, NO_INTERACTION } from '../sign-in/pages.ts';
import { federated } from '../sign-in/required-provider.ts';
import type { Tickets } from '../tickets/tickets.ts';
import type { Trail } from '../trail/trail.ts';
import type { Admission, Admit } from './admission.ts';
import { CALLBACK_PATH, newStarted, started, type Upstream, UpstreamFailed } from './person.ts';
import type { UpstreamProvider } from './providers.ts';

const COOKIE = 'switchboard_upstream';
const MINUTES = 10;
const STARTED = {
  name: 'upstream',
  minutes: MINUTES,
  data: z.object({ provider: z.string(), uid: z.string(), started }),
};

interface UpstreamRoutesOptions {
  browser: Browser;
  upstream: Upstream;
  /** Returns a provider by its key. */
  find(key: string): Promise<UpstreamProvider | undefined>;
  /** Returns the provider of the company that has verified the domain of an address. */
  ofAddress(email: string): Promise<UpstreamProvider | undefined>;
  admit: Admit;
  complete: Complete;
  interactions: Interactions;
  tickets: Tickets;
  limits: Limits;
  trail: Trail;
  logger: Pick<Logger, 'failed'>;
  issuer: string;
}

/** Signs people in with other providers. */
export function upstreamRoutes(app: ServiceApp, options: UpstreamRoutesOptions): void {
  const { browser, upstream, find, ofAddress, admit, complete, interactions } = options;
  const { tickets, limits, trail, logger } = options;
  const { origin, protocol } = new URL(options.issuer);
  const cookieOptions = {
    path: CALLBACK_PATH,
    httpOnly: true,
    secure: protocol === 'https:',
    sameSite: 'Lax',
    maxAge: MINUTES * 60,
  } as const;

  const failed = (c: BrowserContext, text: string, status: 400 | 403 | 404 = 400) =>
    browser.page(c, { title: textsOf().failed, problem: text, body: html`` }, status);

  const isOpen = async (c: BrowserContext, uid: string) =>
    uid === NO_INTERACTION || (await interactions.find(c, uid)) !== undefined;

  app.hono.get(`${MOUNT}/sign-in/:uid/with/:scope/:id`, async (c) => {
    await limits.visit(c.env.address);
    const provider = await find(`${c.req.param('scope')}/${c.req.param('id')}`);
    if (provider === undefined) return failed(c, textsOf().unknownProvider, 404);
    const uid = c.req.param('uid');
    if (!(await isOpen(c, uid))) return browser.page(c, expiredPage(), 400);
    // A link of another site or in an e-mail must not sign a person in to an account that its author chose.
    if (c.req.header('sec-fetch-site') !== 'same-origin') return browser.page(c, linkPage(uid, provider));
    const kept = newStarted();
    const data = { provider: provider.key, uid, started: kept };
    const state = await tickets.issue(STARTED, { data });
    try {
      const url = await upstream.begin(provider, state, kept);
      // Only this browser can complete the sign-in. A link of an attacker cannot sign a person in.
      setCookie(c, COOKIE, state, cookieOptions);
      return c.redirect(url, 303);
    } catch (error) {
      if (!(error instanceof UpstreamFailed)) throw error;
      logger.failed('start sign-in with a provider', error);
      return failed(c, textsOf().providerFailed(provider.name));
    }
  });

  // A form may not lead to another origin by a redirect, so the page has a link.
  app.hono.post(`${MOUNT}/sign-in/:uid/with`, async (c) => {
    const { email = '' } = await fieldsOf(c);
    await limits.visit(c.env.address);
    const provider = await ofAddress(email);
    if (provider === undefined) return failed(c, textsOf().noProvider);
    return browser.page(c, linkPage(c.req.param('uid'), provider));
  });

  app.hono.get(`${MOUNT}/sign-in/:uid/required/:companyId`, async (c) => {
    await limits.visit(c.env.address);
    const provider = await find(`company/${c.req.param('companyId')}`);
    if (provider === undefined) return failed(c, textsOf().unknownProvider, 404);
    const problem = textsOf().mustUse(provider.name);
    return browser.page(c, { ...linkPage(c.req.param('uid'), provider), problem }, 403);
  });

  app.hono.get(`${MOUNT}/sign-in/:uid/sso`, async (c) => {
    await limits.visit(c.env.address);
    return browser.page(c, addressPage(c.req.param('uid')));
  });

  app.hono.get(CALLBACK_PATH, async (c) => {
    const { address, requestId } = c.env;
    await limits.visit(address);
    const state = c.req.query('state') ?? '';
    const isOfBrowser = state !== '' && getCookie(c, COOKIE) === state;
    setCookie(c, COOKIE, '', { ...cookieOptions, maxAge: 0 });
    const ticket = isOfBrowser ? await tickets.take(STARTED, state) : undefined;
    const provider = ticket === undefined ? undefined : await find(ticket.data.provider);
    if (ticket === undefined || provider === undefined) return failed(c, textsOf().requestExpired);

    const { uid } = ticket.data;
    if (!(await isOpen(c, uid))) return browser.page(c, expiredPage(), 400);

    const refuse = async (reason: string, text: string, status: 400 | 403) => {
      const after = { provider: provider.key, reason };
      await trail.record({
        action: 'signIn',
        accountId: null,
        outcome: 'refused',
        after,
        address,
        requestId,
      });
      return failed(c, text, status);
    };
    let admission: Admission;
    try {
      admission = await admit(
        provider,
        await upstream.finish(
          provider,
          new URL(`${CALLBACK_PATH}${new URL(c.req.url).search}`, origin),
          state,
          ticket.data.started,
        ),
      );
    } catch (error) {
      if (!(error instanceof UpstreamFailed)) throw error;
      logger.failed('sign in with a provider', error);
      return refuse('failed', textsOf().providerFailed(provider.name), 400);
    }
    if (admission.kind !== 'admitted') {
      return refuse(admission.kind, textsOf()[admission.kind](provider.name), 403);
    }
    const login = { accountId: admission.accountId, methods: [federated(provider.companyId)] };
    return c.redirect(await complete(c, uid, login), 303);
  });
}

function linkPage(uid: string, provider: UpstreamProvider): Page {
  const text = textsOf().continueWith(provider.name);
  const href = `${MOUNT}/sign-in/${uid}/with/${provider.key}`;
  return { title: text, body: html`<p><a class="button primary" href="${href}" autofocus>${text}</a></p>` };
}

function addressPage(uid: string): Page {
  const texts = textsOf();
  return {
    title: texts.singleSignOn,
    body: html`<p>${texts.singleSignOnHelp}</p><form method="post" action="${MOUNT}/sign-in/${uid}/with" class="full">
<label>${texts.email}<input name="email" type="email" autocomplete="username" required autofocus></label>
<p><button class="primary">${texts.continue}</button></p></form>`,
  };
}
