import { isDeepStrictEqual } from 'node:util';
import type { FlagEntry, FlagVersion } from '@switchboard/contracts';
import type { Tx } from '@switchboard/database';
import { PreconditionFailed } from '@switchboard/service-kit';
import { createFlagHistoryStore, type VersionRow } from './store.ts';

const KEPT_VERSIONS = 200;

/** Who changes a flag, and why. */
export interface Change {
  author: string;
  reason?: string | undefined;
  /** The ETag of the version that is changed, or `*`: any. Absent: whatever there is. */
  ifMatch?: string | undefined;
}

/** The versions of one flag, while its project's ruleset is locked. */
export interface History {
  /** 0 before the first. */
  version(): number;
  /** Throws PreconditionFailed when `ifMatch` names another state. */
  require(ifMatch: string | undefined): void;
  /** Records that the flag is now `entry`; null: deleted. */
  record(entry: FlagEntry | null, change: Change): Promise<void>;
}

export const etagOf = (version: number) => `"${version}"`;

export async function openHistory(
  tx: Tx,
  { projectId, key, stored }: { projectId: string; key: string; stored: FlagEntry | undefined },
): Promise<History> {
  const store = createFlagHistoryStore(tx);
  const [latest] = await store.list(projectId, key, 1);
  let version = latest?.version ?? 0;

  async function add(entry: FlagEntry | null, author: string | null, reason: string | null): Promise<void> {
    version += 1;
    await store.add({ projectId, key, version, entry, author, reason }, KEPT_VERSIONS);
  }

  return {
    version: () => version,

    require(ifMatch) {
      if (ifMatch === undefined) return;
      const exists = stored !== undefined;
      if (exists && (ifMatch === '*' || ifMatch === etagOf(version))) return;
      throw new PreconditionFailed(
        exists
          ? `If-Match: the flag has version ${version} by now. Read it, and change that.`
          : 'If-Match: there is no such flag.',
      );
    },

    async record(entry, { author, reason }) {
      // Written before there was a history, or by an instance that does not keep one.
      if (stored !== undefined && !isDeepStrictEqual(latest?.entry, stored)) await add(stored, null, null);
      await add(entry, author, reason ?? null);
    },
  };
}

/** A page of versions from rows that are one more than it holds: the older neighbour of its last. */
export function presentVersions(
  rows: readonly VersionRow[],
  limit: number,
): {
  versions: FlagVersion[];
  nextCursor: string | null;
} {
  const versions = rows.slice(0, limit).map(({ version, entry, author, reason, at }, index) => ({
    version,
    flag: entry,
    changes: differences(rows[index + 1]?.entry ?? null, entry),
    author,
    reason,
    at: at.toISOString(),
  }));
  const next = rows[limit];
  return { versions, nextCursor: next === undefined ? null : String(next.version) };
}

function differences(before: FlagEntry | null, after: FlagEntry | null): FlagVersion['changes'] {
  const [old, now] = [Object.entries(before ?? {}), Object.entries(after ?? {})].map(
    (properties) => new Map<string, unknown>(properties),
  );
  const names = new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])]);
  return [...names]
    .filter((name) => name !== 'key' && !isDeepStrictEqual(old?.get(name), now?.get(name)))
    .map((property) => ({ property, before: old?.get(property), after: now?.get(property) }));
}
