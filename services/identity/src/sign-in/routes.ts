import type { ServiceApp } from '@switchboard/http';
import { type Browser, type BrowserContext, fieldsOf } from '../browser/browser.ts';
import { MOUNT, textsOf } from '../pages/document.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Complete } from './complete.ts';
import type { Interaction, Interactions } from './interactions.ts';
import { codePage, consentPage, expiredPage, NO_INTERACTION, signInPage } from './pages.ts';
import type { SignIn, SignInResult } from './sign-in.ts';

interface SignInRoutesOptions {
  browser: Browser;
  signIn: SignIn;
  sessions: Sessions;
  interactions: Interactions;
  complete: Complete;
}

export function signInRoutes(
  app: ServiceApp,
  { browser, signIn, sessions, interactions, complete }: SignInRoutesOptions,
): void {
  const path = `${MOUNT}/sign-in/:uid` as const;

  /** Returns the request that the person signs in for, or the page that says that it expired. */
  async function interactionOf(c: BrowserContext, uid: string): Promise<Interaction | undefined | Response> {
    if (uid === NO_INTERACTION) return undefined;
    return (await interactions.find(c, uid)) ?? browser.page(c, expiredPage(), 400);
  }

  async function continueWith(c: BrowserContext, uid: string, result: SignInResult & { kind: 'done' }) {
    return c.redirect(await complete(c, uid, result), 303);
  }

  app.hono.get(path, async (c) => {
    const uid = c.req.param('uid');
    const interaction = await interactionOf(c, uid);
    if (interaction instanceof Response) return interaction;
    if (interaction?.needsConsent === true) return browser.page(c, consentPage(uid, interaction));
    const session = interaction?.needsSignIn === true ? undefined : await sessions.find(browser.cookie(c));
    if (session === undefined) return browser.page(c, signInPage({ uid, interaction }));
    if (interaction === undefined) return c.redirect(`${MOUNT}/account`, 303);
    return c.redirect(await interactions.finish(c, session), 303);
  });

  app.hono.post(path, async (c) => {
    const uid = c.req.param('uid');
    const interaction = await interactionOf(c, uid);
    if (interaction instanceof Response) return interaction;
    const { email = '', password = '' } = await fieldsOf(c);
    const result = await signIn.withPassword(c.env, email, password);
    if (result.kind === 'needsCode') return browser.page(c, codePage(uid, result.ticket));
    if (result.kind === 'done') return continueWith(c, uid, result);
    const problem = textsOf().wrongPassword;
    return browser.page(c, signInPage({ uid, interaction, email, problem }), 400);
  });

  app.hono.post(`${path}/code`, async (c) => {
    const uid = c.req.param('uid');
    const interaction = await interactionOf(c, uid);
    if (interaction instanceof Response) return interaction;
    const { ticket = '', code = '' } = await fieldsOf(c);
    const result = await signIn.withCode(c.env, ticket, code);
    if (result.kind === 'done') return continueWith(c, uid, result);
    return browser.page(c, codePage(uid, ticket, textsOf().wrongCode), 400);
  });

  app.hono.post(`${path}/consent`, async (c) => {
    const interaction = await interactionOf(c, c.req.param('uid'));
    if (interaction instanceof Response) return interaction;
    const { allow } = await fieldsOf(c);
    return c.redirect(await (allow === 'yes' ? interactions.allow(c) : interactions.abort(c)), 303);
  });
}
