import type { Db } from '@switchboard/database';
import type { Logger } from '@switchboard/runtime';
import { z } from 'zod';
import type { Accounts } from '../accounts/accounts.ts';
import type { WeakPassword } from '../accounts/password.ts';
import type { Mails } from '../mails/mails.ts';
import { currentLanguage, textsOf } from '../pages/texts/languages.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Tickets } from '../tickets/tickets.ts';
import type { Trail } from '../trail/trail.ts';

const RESET = { name: 'reset', minutes: 60, data: z.object({}) };

interface Caller {
  address: string;
  requestId: string;
}

export interface Reset {
  /** Sends a link if an account has the address. Returns at once, with and without one. */
  request(caller: Caller, email: string): void;
  isValid(token: string): Promise<boolean>;
  /** Sets the password, and ends every session. Second factors stay. */
  set(caller: Caller, token: string, password: string): Promise<WeakPassword | 'expired' | 'done'>;
}

interface ResetOptions {
  db: Db;
  accounts: Accounts;
  mails: Mails;
  sessions: Sessions;
  tickets: Tickets;
  trail: Trail;
  issuer: string;
  logger: Pick<Logger, 'failed'>;
}

export function createReset(options: ResetOptions): Reset {
  const { db, accounts, mails, sessions, tickets, trail, issuer, logger } = options;

  async function send(caller: Caller, email: string): Promise<void> {
    const account = await accounts.findByEmail(email);
    if (account === undefined) return;
    await trail.record({ action: 'requestPasswordReset', accountId: account.id, ...caller });
    const token = await tickets.issue(RESET, { accountId: account.id, data: {} });
    const texts = textsOf();
    await mails.add(db, {
      to: account.email,
      language: currentLanguage(),
      subject: texts.resetTitle,
      text: texts.mail.resetText,
      button: texts.resetTitle,
      link: `${issuer}/reset/${token}`,
      address: texts.mail.address,
      why: texts.mail.resetWhy,
    });
  }

  return {
    request(caller, email) {
      send(caller, email).catch((error: unknown) => logger.failed('send reset link', error));
    },

    isValid: async (token) => (await tickets.look(RESET, token)) !== undefined,

    async set(caller, token, password) {
      const found = await tickets.look(RESET, token);
      const account = await accounts.find(found?.accountId ?? '');
      if (account === undefined) return 'expired';
      const weakness = await accounts.setPassword(account, password);
      if (weakness !== undefined) return weakness;
      await tickets.revoke(RESET, account.id);
      await sessions.endAll(account.id);
      await trail.record({
        action: 'changePassword',
        accountId: account.id,
        after: { by: 'link' },
        ...caller,
      });
      return 'done';
    },
  };
}
