import type { ServiceApp } from '@switchboard/http';
import { z } from 'zod';
import type { DemoPerson } from '../accounts/accounts.ts';
import { type Browser, type BrowserContext, fieldsOf } from '../browser/browser.ts';
import type { Limits } from '../limits/limits.ts';
import { MOUNT } from '../pages/document.ts';
import { textsOf } from '../pages/texts/languages.ts';
import type { Passkeys } from '../passkeys/passkeys.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Trail } from '../trail/trail.ts';
import type { Complete } from './complete.ts';
import type { Interaction, Interactions } from './interactions.ts';
import { codePage, consentPage, expiredPage, NO_INTERACTION, signInPage } from './pages.ts';
import type { SignIn, SignInResult } from './sign-in.ts';

const passkeyBody = z.object({ ticket: z.string(), credential: z.unknown() });

interface SignInRoutesOptions {
  browser: Browser;
  signIn: SignIn;
  sessions: Sessions;
  interactions: Interactions;
  complete: Complete;
  limits: Limits;
  passkeys: Passkeys;
  trail: Trail;
  /** The deployment's providers. */
  upstreams: readonly { key: string; name: string }[];
  /** The people of a demo. */
  people: readonly DemoPerson[];
}

export function signInRoutes(
  app: ServiceApp,
  {
    browser,
    signIn,
    sessions,
    interactions,
    complete,
    limits,
    passkeys,
    trail,
    upstreams,
    people,
  }: SignInRoutesOptions,
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
    const mustSignIn = interaction?.needsSignIn === true || c.req.query('again') === 'yes';
    const session = mustSignIn ? undefined : await sessions.find(browser.cookie(c));
    if (session === undefined) return browser.page(c, signInPage({ uid, interaction, upstreams, people }));
    if (interaction === undefined) return c.redirect(`${MOUNT}/account`, 303);
    return c.redirect(await interactions.finish(c, session), 303);
  });

  app.hono.post(path, async (c) => {
    const uid = c.req.param('uid');
    const interaction = await interactionOf(c, uid);
    if (interaction instanceof Response) return interaction;
    const { email = '', password = '' } = await fieldsOf(c);
    const { address, requestId } = c.env;
    const caller = { address, requestId, device: browser.device(c) };
    const result = await signIn.withPassword(caller, email, password);
    if (result.kind === 'needsCode') return browser.page(c, codePage(uid, result.ticket));
    if (result.kind === 'done') return continueWith(c, uid, result);
    const problem = textsOf().wrongPassword;
    return browser.page(c, signInPage({ uid, interaction, email, problem, upstreams, people }), 400);
  });

  app.hono.post(`${path}/as/:accountId`, async (c) => {
    const { uid, accountId } = c.req.param();
    const interaction = await interactionOf(c, uid);
    if (interaction instanceof Response) return interaction;
    if (!people.some(({ id }) => id === accountId)) return c.notFound();
    return continueWith(c, uid, { kind: 'done', accountId, methods: ['user'] });
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

  app.hono.post(`${path}/passkey/options`, async (c) => {
    await limits.visit(c.env.address);
    return c.json(await passkeys.beginSignIn());
  });

  app.hono.post(`${path}/passkey`, async (c) => {
    const { address, requestId } = c.env;
    await limits.visit(address);
    const uid = c.req.param('uid');
    if ((await interactionOf(c, uid)) instanceof Response) return c.json({}, 400);
    const body = passkeyBody.safeParse(await c.req.json().catch(() => undefined));
    if (!body.success) return c.json({}, 400);
    const { ticket, credential } = body.data;
    const accountId = await passkeys.signIn(ticket, credential);
    if (accountId === undefined) {
      await trail.record({ action: 'signIn', accountId: null, outcome: 'refused', address, requestId });
      return c.json({}, 400);
    }
    return c.json({ location: await complete(c, uid, { accountId, methods: ['hwk', 'user', 'mfa'] }) });
  });

  app.hono.post(`${path}/consent`, async (c) => {
    const interaction = await interactionOf(c, c.req.param('uid'));
    if (interaction instanceof Response) return interaction;
    if (interaction?.needsConsent !== true) return browser.page(c, expiredPage(), 400);
    const { allow } = await fieldsOf(c);
    return c.redirect(await (allow === 'yes' ? interactions.allow(c) : interactions.abort(c)), 303);
  });
}
