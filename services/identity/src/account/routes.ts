import type { ServiceApp } from '@switchboard/http';
import type { Clock } from '@switchboard/runtime';
import { html } from 'hono/html';
import { z } from 'zod';
import type { Accounts } from '../accounts/accounts.ts';
import type { AccountRow } from '../accounts/store.ts';
import { type Browser, type BrowserContext, fieldsOf } from '../browser/browser.ts';
import type { EmailChange } from '../email-change/email-change.ts';
import type { Totp } from '../factors/totp.ts';
import type { Limits } from '../limits/limits.ts';
import { expiredLinkPage, MOUNT } from '../pages/document.ts';
import { textsOf } from '../pages/texts/languages.ts';
import type { Passkeys } from '../passkeys/passkeys.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { SessionRow } from '../sessions/store.ts';
import type { Tickets } from '../tickets/tickets.ts';
import type { Deed, Trail } from '../trail/trail.ts';
import { accountPage, authenticatorPage, confirmEmailPage, recoveryCodesPage } from './pages.ts';

interface AccountRoutesOptions {
  accounts: Accounts;
  browser: Browser;
  clock: Clock;
  config: { CONSOLE_URL: string };
  emailChange: EmailChange;
  limits: Limits;
  passkeys: Passkeys;
  sessions: Sessions;
  tickets: Tickets;
  totp: Totp;
  trail: Trail;
}

interface Visitor {
  account: AccountRow;
  session: SessionRow;
}

const PATH = `${MOUNT}/account` as const;
const AUTHENTICATOR = { name: 'authenticator', minutes: 15, data: z.object({ secret: z.string() }) };
const passkeyBody = z.object({ ticket: z.string(), credential: z.unknown() });
/** A person who signed in longer ago signs in again before factors change. */
const FRESH_MS = 15 * 60_000;

/** Serves the page of a person's own account: factors and sessions. */
export function accountRoutes(app: ServiceApp, options: AccountRoutesOptions): void {
  const { accounts, browser, clock, config, emailChange, limits, passkeys, sessions, tickets, totp, trail } =
    options;
  const consoleUrl = config.CONSOLE_URL;

  async function visitorOf(c: BrowserContext): Promise<Visitor | undefined> {
    const session = await sessions.find(browser.cookie(c));
    const account = session === undefined ? undefined : await accounts.find(session.accountId);
    return session && account && { session, account };
  }

  /** Runs work for a person who is signed in; recently, if factors change. Others sign in first. */
  const signedIn =
    (work: (c: BrowserContext, visitor: Visitor) => Promise<Response>, { isFresh = false } = {}) =>
    async (c: BrowserContext): Promise<Response> => {
      const visitor = await visitorOf(c);
      if (visitor === undefined) return c.redirect(`${MOUNT}/sign-in/account`, 303);
      const age = clock.now().getTime() - visitor.session.createdAt.getTime();
      if (isFresh && age > FRESH_MS) return c.redirect(`${MOUNT}/sign-in/account?again=yes`, 303);
      return work(c, visitor);
    };
  const recently = (work: (c: BrowserContext, visitor: Visitor) => Promise<Response>) =>
    signedIn(work, { isFresh: true });

  const record = (c: BrowserContext, { account }: Visitor, action: Deed['action']) =>
    trail.record({ action, accountId: account.id, address: c.env.address, requestId: c.env.requestId });

  async function show(c: BrowserContext, { account, session }: Visitor, problem?: string): Promise<Response> {
    const [own, open] = await Promise.all([passkeys.list(account.id), sessions.list(account.id)]);
    const page = accountPage({
      account,
      passkeys: own,
      sessions: open,
      current: session,
      consoleUrl,
      problem,
    });
    return browser.page(c, page, problem === undefined ? 200 : 400);
  }

  const back = (c: BrowserContext) => c.redirect(PATH, 303);

  app.hono.get(
    PATH,
    signedIn((c, visitor) => show(c, visitor)),
  );

  app.hono.post(
    `${PATH}/passkeys/options`,
    recently(async (c, { account }) => c.json(await passkeys.beginCreation(account))),
  );

  app.hono.post(
    `${PATH}/passkeys`,
    recently(async (c, visitor) => {
      const body = passkeyBody.safeParse(await c.req.json().catch(() => undefined));
      if (!body.success) return c.json({}, 400);
      const { ticket, credential } = body.data;
      const agent = c.req.header('user-agent') ?? '';
      const name = /Windows|Macintosh|Android|iPhone|iPad|Linux/.exec(agent)?.[0] ?? '';
      if (!(await passkeys.create(visitor.account.id, ticket, credential, name))) return c.json({}, 400);
      await record(c, visitor, 'addPasskey');
      return c.json({ location: PATH });
    }),
  );

  app.hono.post(
    `${PATH}/passkeys/remove`,
    recently(async (c, visitor) => {
      const { id = '' } = await fieldsOf(c);
      await passkeys.remove(visitor.account.id, id);
      await record(c, visitor, 'removePasskey');
      return back(c);
    }),
  );

  app.hono.post(
    `${PATH}/password`,
    recently(async (c, visitor) => {
      const { password = '' } = await fieldsOf(c);
      const weakness = await accounts.setPassword(visitor.account, password);
      if (weakness !== undefined) return show(c, visitor, textsOf().weak[weakness]);
      await record(c, visitor, 'changePassword');
      await sessions.endOthers(visitor.account.id, visitor.session.id);
      return back(c);
    }),
  );

  app.hono.post(
    `${PATH}/email`,
    recently(async (c, visitor) => {
      const { email = '' } = await fieldsOf(c);
      await limits.mail(c.env.address, visitor.account.id);
      const result = await emailChange.request(visitor.account, email);
      if (result !== 'sent') return show(c, visitor, textsOf()[result]);
      return browser.page(c, { title: textsOf().linkSent, body: html`` });
    }),
  );

  app.hono.get(
    `${PATH}/email/:token`,
    signedIn(async (c, { account }) => {
      const token = c.req.param('token') ?? '';
      const email = await emailChange.find(account, token);
      if (email === undefined) return browser.page(c, expiredLinkPage(), 404);
      return browser.page(c, confirmEmailPage(token, email));
    }),
  );

  app.hono.post(
    `${PATH}/email/:token`,
    signedIn(async (c, visitor) => {
      if (!(await emailChange.confirm(visitor.account, c.req.param('token') ?? '')))
        return browser.page(c, expiredLinkPage(), 404);
      await record(c, visitor, 'changeEmail');
      await sessions.endOthers(visitor.account.id, visitor.session.id);
      return back(c);
    }),
  );

  app.hono.get(
    `${PATH}/authenticator`,
    recently(async (c, { account }) => {
      const { secret, url } = totp.create(account.email);
      const ticket = await tickets.issue(AUTHENTICATOR, { accountId: account.id, data: { secret } });
      return browser.page(c, authenticatorPage(secret, url, ticket));
    }),
  );

  app.hono.post(
    `${PATH}/authenticator`,
    recently(async (c, visitor) => {
      const { id, email } = visitor.account;
      const { ticket = '', code = '' } = await fieldsOf(c);
      await limits.guessCode(c.env.address, id);
      const begun = await tickets.look(AUTHENTICATOR, ticket);
      if (begun?.accountId !== id) return back(c);
      const codes = await totp.turnOn(id, begun.data.secret, code);
      if (codes === undefined) {
        const { url } = totp.restore(begun.data.secret, email);
        return browser.page(c, authenticatorPage(begun.data.secret, url, ticket, textsOf().wrongCode), 400);
      }
      await tickets.take(AUTHENTICATOR, ticket);
      await record(c, visitor, 'addAuthenticator');
      return browser.page(c, recoveryCodesPage(codes));
    }),
  );

  app.hono.post(
    `${PATH}/authenticator/remove`,
    recently(async (c, visitor) => {
      await totp.turnOff(visitor.account.id);
      await record(c, visitor, 'removeAuthenticator');
      return back(c);
    }),
  );

  app.hono.post(
    `${PATH}/sessions/remove`,
    signedIn(async (c, visitor) => {
      const { id = '' } = await fieldsOf(c);
      await sessions.endById(visitor.account.id, id);
      await record(c, visitor, 'endSession');
      return back(c);
    }),
  );

  app.hono.post(
    `${PATH}/sign-out`,
    signedIn(async (c, visitor) => {
      await sessions.end(browser.cookie(c));
      await record(c, visitor, 'signOut');
      return browser.page(c, { title: textsOf().signedOut, body: html`` });
    }),
  );

  app.hono.post(
    `${PATH}/sign-out-everywhere`,
    signedIn(async (c, visitor) => {
      await sessions.endAll(visitor.account.id);
      await record(c, visitor, 'signOutEverywhere');
      return browser.page(c, { title: textsOf().signedOut, body: html`` });
    }),
  );
}
