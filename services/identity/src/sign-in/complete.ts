import type { Accounts } from '../accounts/accounts.ts';
import type { Browser, BrowserContext } from '../browser/browser.ts';
import type { Devices } from '../limits/devices.ts';
import { MOUNT } from '../pages/document.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Trail } from '../trail/trail.ts';
import type { Interactions } from './interactions.ts';
import { NO_INTERACTION } from './pages.ts';
import { missingProvider, type RequiredProvider } from './required-provider.ts';

/** Starts a session for an account and returns the address to continue at. */
export type Complete = (c: BrowserContext, uid: string, login: Login) => Promise<string>;

/** A sign-in that succeeded. */
interface Login {
  accountId: string;
  methods: string[];
}

interface CompleteOptions {
  accounts: Pick<Accounts, 'find' | 'noteUse'>;
  required: RequiredProvider;
  browser: Browser;
  sessions: Sessions;
  interactions: Interactions;
  trail: Trail;
  devices: Devices;
}

/** The session of the browser gets a new id with each sign-in, so that an id known before is worth nothing. */
export const createComplete =
  ({ accounts, required, browser, sessions, interactions, trail, devices }: CompleteOptions): Complete =>
  async (c, uid, { accountId, methods }) => {
    const { address, requestId } = c.env;
    const account = await accounts.find(accountId);
    const companyId = account && (await missingProvider(required, account, methods));
    if (companyId !== undefined) {
      const after = { methods, reason: 'providerRequired' };
      await trail.record({ action: 'signIn', accountId, outcome: 'refused', after, address, requestId });
      return `${MOUNT}/sign-in/${uid}/required/${encodeURIComponent(companyId)}`;
    }
    await accounts.noteUse(accountId);
    await sessions.end(browser.cookie(c));
    const agent = c.req.header('user-agent') ?? '';
    browser.setCookie(c, await sessions.start({ accountId, methods, agent, address }));
    if (account !== undefined) browser.setDevice(c, await devices.issue(account.email));
    await trail.record({ action: 'signIn', accountId, after: { methods }, address, requestId });
    return uid === NO_INTERACTION ? `${MOUNT}/account` : interactions.finish(c, { accountId, methods });
  };
