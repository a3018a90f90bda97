import { appendEntry } from '@switchboard/audit';
import type { AuditEntry } from '@switchboard/contracts';
import { type Db, newId } from '@switchboard/database';
import type { Clock } from '@switchboard/runtime';

/** An action of a person, or a failed attempt. */
export interface Deed {
  action:
    | 'signIn'
    | 'signOut'
    | 'signOutEverywhere'
    | 'endSession'
    | 'createAccount'
    | 'changePassword'
    | 'changeEmail'
    | 'requestPasswordReset'
    | 'addPasskey'
    | 'removePasskey'
    | 'addAuthenticator'
    | 'removeAuthenticator'
    | 'acceptInvitation'
    | 'invite'
    | 'revokeInvitation';
  /** The account, if it is known. */
  accountId: string | null;
  outcome?: AuditEntry['outcome'];
  companyId?: string;
  /** How it was done, such as the factors of a sign-in. */
  after?: unknown;
  address: string;
  requestId: string;
}

export interface Trail {
  /** Adds an entry to the audit trail. */
  record(deed: Deed): Promise<void>;
}

export function createTrail({ db, clock, region }: { db: Db; clock: Clock; region: string }): Trail {
  return {
    async record({ action, accountId, outcome = 'allowed', companyId = null, after, address, requestId }) {
      const entry: AuditEntry = {
        id: newId('aud'),
        at: clock.now().toISOString(),
        actor: { kind: accountId === null ? 'nobody' : 'person', id: accountId, tokenId: null },
        action,
        object: `account:${accountId ?? 'unknown'}`,
        outcome,
        status: outcome === 'refused' ? 401 : null,
        companyId,
        projectId: null,
        ...(after === undefined ? {} : { after }),
        reason: null,
        address,
        requestId,
        region,
        service: 'identity',
        count: 1,
        until: null,
      };
      await appendEntry(db, JSON.stringify(entry));
    },
  };
}
