import type { Browser, BrowserContext } from '../browser/browser.ts';
import { MOUNT } from '../pages/document.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Trail } from '../trail/trail.ts';
import type { Interactions } from './interactions.ts';
import { NO_INTERACTION } from './pages.ts';

/** Starts a session for an account and returns the address to continue at. */
export type Complete = (
  c: BrowserContext,
  uid: string,
  login: { accountId: string; methods: string[] },
) => Promise<string>;

interface CompleteOptions {
  browser: Browser;
  sessions: Sessions;
  interactions: Interactions;
  trail: Trail;
}

/** The session of the browser gets a new id with each sign-in, so that an id known before is worth nothing. */
export const createComplete =
  ({ browser, sessions, interactions, trail }: CompleteOptions): Complete =>
  async (c, uid, { accountId, methods }) => {
    const { address, requestId } = c.env;
    await sessions.end(browser.cookie(c));
    const agent = c.req.header('user-agent') ?? '';
    browser.setCookie(c, await sessions.start({ accountId, methods, agent, address }));
    await trail.record({ action: 'signIn', accountId, after: { methods }, address, requestId });
    return uid === NO_INTERACTION ? `${MOUNT}/account` : interactions.finish(c, { accountId, methods });
  };
