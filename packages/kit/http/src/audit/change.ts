import { appendEntry } from '@switchboard/audit';
import type { AuditEntry } from '@switchboard/contracts';
import type { Db, Transactor } from '@switchboard/database';
import { type AuditDetails, encodeEntry } from './request.ts';

/** The change that an audited operation makes. Its entry is stored exactly once, with the change. */
export interface AuditedChange extends Transactor {
  /** Adds details to the entry, before it is written. */
  describe(details: AuditDetails): void;
  /** Writes the entry alone, when the request changes nothing in the database. */
  record(): Promise<void>;
}

/** The audit record of a request. */
export interface Audited {
  entry: AuditEntry;
  change: AuditedChange;
  isWritten(): boolean;
}

interface AuditedOptions {
  entry: AuditEntry;
  db: Db;
  now(): Date;
  onWritten(): void;
}

export function createAudited({ entry, db, now, onWritten }: AuditedOptions): Audited {
  let isWritten = false;

  function requireUnwritten(): void {
    if (isWritten) throw new Error(`the audit entry of ${entry.action} is written already`);
  }

  return {
    entry,
    isWritten: () => isWritten,
    change: {
      async transaction(work) {
        requireUnwritten();
        const result = await db.transaction(async (tx) => {
          const done = await work(tx);
          // The transaction holds its locks, so entries of changes to one object have the order of the changes.
          entry.at = now().toISOString();
          await appendEntry(tx, encodeEntry(entry));
          return done;
        });
        isWritten = true;
        onWritten();
        return result;
      },

      describe({ before, after, reason, object }) {
        requireUnwritten();
        if (before !== undefined) entry.before = before;
        if (after !== undefined) entry.after = after;
        if (reason !== undefined) entry.reason = reason;
        if (object !== undefined) entry.object = object;
      },

      async record() {
        requireUnwritten();
        entry.at = now().toISOString();
        await appendEntry(db, encodeEntry(entry));
        isWritten = true;
        onWritten();
      },
    },
  };
}
