import type { Db } from '@switchboard/database';
import { z } from 'zod';
import { type Accounts, emailAddress } from '../accounts/accounts.ts';
import type { AccountRow } from '../accounts/store.ts';
import type { Mails } from '../mails/mails.ts';
import { currentLanguage, textsOf } from '../pages/texts/languages.ts';
import type { RequiredProvider } from '../sign-in/required-provider.ts';
import type { Tickets } from '../tickets/tickets.ts';

const CHANGE = { name: 'email-change', minutes: 60, data: z.object({ email: z.string() }) };
const RESET = { name: 'reset' };

/** Changes the address of an account once its person has proved the new one. */
export interface EmailChange {
  /** Sends a link to the new address. An earlier link becomes invalid. */
  request(account: AccountRow, email: string): Promise<'invalidEmail' | 'emailManaged' | 'sent'>;
  /** Returns the new address of a link of the account. */
  find(account: AccountRow, token: string): Promise<string | undefined>;
  /**
   * Uses the link. Returns false if it is not valid for the account, or another account has the address. Only a browser
   * that is signed in may confirm: otherwise a stranger could put the address of the recipient on their own account.
   */
  confirm(account: AccountRow, token: string): Promise<boolean>;
}

interface EmailChangeOptions {
  db: Db;
  accounts: Accounts;
  mails: Mails;
  /** A company with a required provider manages the addresses of its domains. */
  required: RequiredProvider;
  tickets: Tickets;
  issuer: string;
}

export function createEmailChange(options: EmailChangeOptions): EmailChange {
  const { db, accounts, mails, required, tickets, issuer } = options;

  async function find(account: AccountRow, token: string): Promise<string | undefined> {
    const found = await tickets.look(CHANGE, token);
    return found?.accountId === account.id ? found.data.email : undefined;
  }

  return {
    async request(account, given) {
      const parsed = emailAddress.safeParse(given);
      if (!parsed.success) return 'invalidEmail';
      if ((await required(account)) !== undefined) return 'emailManaged';
      const email = parsed.data;
      await tickets.revoke(CHANGE, account.id);
      const token = await tickets.issue(CHANGE, { accountId: account.id, data: { email } });
      const texts = textsOf();
      await mails.add(db, {
        to: email,
        language: currentLanguage(),
        subject: texts.confirmEmail,
        text: texts.mail.emailText,
        button: texts.confirmEmail,
        link: `${issuer}/account/email/${token}`,
        address: texts.mail.address,
        why: texts.mail.emailWhy,
      });
      return 'sent';
    },

    find,

    async confirm(account, token) {
      const email = await find(account, token);
      if (email === undefined || (await required(account)) !== undefined) return false;
      if ((await tickets.take(CHANGE, token)) === undefined) return false;
      if (!(await accounts.changeEmail(account.id, email))) return false;
      // Links to set a password went to the old address.
      await tickets.revoke(RESET, account.id);
      return true;
    },
  };
}
