import type { Logger } from '@switchboard/runtime';
import { z } from 'zod';
import type { AccountProblem, Accounts } from '../accounts/accounts.ts';
import { MOUNT } from '../pages/document.ts';
import type { Tickets } from '../tickets/tickets.ts';

const HOURS = 24;
const SET_UP = { name: 'set-up', minutes: HOURS * 60, data: z.object({}) };
/** The permission of an operator, in every company. */
const OWNER_PERMISSIONS = ['service.manage'];

export interface SetUp {
  /** Logs a link that creates the first account, if there is none. */
  printLink(): Promise<void>;
  isValid(token: string): Promise<boolean>;
  /** Creates the first owner. Returns its id, a problem, or `expired`. */
  create(
    token: string,
    fields: { email: string; name: string; password: string },
  ): Promise<{ accountId: string } | AccountProblem | 'expired'>;
}

interface SetUpOptions {
  accounts: Accounts;
  tickets: Tickets;
  issuer: string;
  logger: Pick<Logger, 'info'>;
}

export function createSetUp({ accounts, tickets, issuer, logger }: SetUpOptions): SetUp {
  const isValid = async (token: string) =>
    (await tickets.look(SET_UP, token)) !== undefined && (await accounts.isEmpty());

  return {
    isValid,
    async printLink() {
      if (!(await accounts.isEmpty())) return;
      const token = await tickets.issue(SET_UP, { data: {} });
      const link = `${new URL(issuer).origin}${MOUNT}/set-up/${token}`;
      logger.info({ link, hours: HOURS }, 'no accounts yet: open the link to create the first owner');
    },
    async create(token, fields) {
      if (!(await isValid(token))) return 'expired';
      const created = await accounts.createFirst({ ...fields, permissions: OWNER_PERMISSIONS });
      if (typeof created === 'string') return created;
      await tickets.take(SET_UP, token);
      return { accountId: created.id };
    },
  };
}
