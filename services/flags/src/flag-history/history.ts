import { isDeepStrictEqual } from 'node:util';
import type { FlagEntry, FlagVersion } from '@switchboard/contracts';
import type { Tx } from '@switchboard/database';
import { PreconditionFailed } from '@switchboard/http';
import { createFlagHistoryStore, type NewVersion, type VersionRow } from './store.ts';

const KEPT_VERSIONS = 200;

/** The author of a change of a flag, with the reason. */
export interface Edit {
  author: string;
  reason?: string | undefined;
  /** The ETag of the version to change, or `*` for any existing version. If absent, any state is accepted. */
  ifMatch?: string | undefined;
  /** `*` for a flag that must not exist. */
  ifNoneMatch?: '*' | undefined;
  /** The people who approved the edit. Absent: the edit is refused where a project requires approvals. */
  approvedBy?: readonly (string | null)[] | undefined;
}

/** The versions of one flag, for use while the project's ruleset is locked. */
export interface History {
  /** Returns the newest version, or 0 before the first. */
  version(): number;
  /** Throws PreconditionFailed if the flag is not in the state that the edit expects. */
  require(expected: Pick<Edit, 'ifMatch' | 'ifNoneMatch'>): void;
  /** Records `entry` as the new state of the flag. Null records a deletion. */
  record(entry: FlagEntry | null, change: Edit & { isEmergency?: boolean }): Promise<void>;
}

export const etagOf = (version: number) => `"${version}"`;

export async function openHistory(
  tx: Tx,
  { projectId, key, stored }: { projectId: string; key: string; stored: FlagEntry | undefined },
): Promise<History> {
  const store = createFlagHistoryStore(tx);
  const [latest] = await store.list(projectId, key, 1);
  let version = latest?.version ?? 0;

  async function add(state: Omit<NewVersion, 'projectId' | 'key' | 'version'>): Promise<void> {
    version += 1;
    await store.add({ projectId, key, version, ...state }, KEPT_VERSIONS);
  }

  return {
    version: () => version,

    require({ ifMatch, ifNoneMatch }) {
      const exists = stored !== undefined;
      if (exists && ifNoneMatch !== undefined)
        throw new PreconditionFailed(
          `If-None-Match: the flag exists, at version ${version}. Read it, and change it with If-Match.`,
        );
      if (ifMatch === undefined) return;
      if (exists && (ifMatch === '*' || ifMatch === etagOf(version))) return;
      throw new PreconditionFailed(
        exists
          ? `If-Match: the flag is at version ${version}. Read it again and repeat your change.`
          : 'If-Match: the flag does not exist.',
      );
    },

    async record(entry, { author, reason = null, approvedBy = [], isEmergency = false }) {
      // The stored flag was written before there was a history, or by an instance that does not keep one.
      if (stored !== undefined && !isDeepStrictEqual(latest?.entry, stored))
        await add({ entry: stored, author: null, reason: null, approvedBy: null, isEmergency: false });
      await add({
        entry,
        author,
        reason,
        approvedBy: approvedBy.length > 0 ? [...approvedBy] : null,
        isEmergency,
      });
    },
  };
}

/** Builds a page of versions. `rows` has one row more than the page: the predecessor of its last version. */
export function presentVersions(
  rows: readonly VersionRow[],
  limit: number,
): {
  versions: FlagVersion[];
  nextCursor: string | null;
} {
  const versions = rows.slice(0, limit).map((row, index): FlagVersion => {
    const { version, entry, author, reason, at, approvedBy, isEmergency } = row;
    return {
      version,
      flag: entry,
      changes: differences(rows[index + 1]?.entry ?? null, entry),
      author,
      reason,
      at: at.toISOString(),
      ...(approvedBy && { approvedBy }),
      ...(isEmergency && { emergency: true }),
    };
  });
  const next = rows[limit];
  return { versions, nextCursor: next === undefined ? null : String(next.version) };
}

/** Returns the properties that differ between two states of a flag, except its key. */
export function differences(before: FlagEntry | null, after: FlagEntry | null): FlagVersion['changes'] {
  const [old, now] = [Object.entries(before ?? {}), Object.entries(after ?? {})].map(
    (properties) => new Map<string, unknown>(properties),
  );
  const names = new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])]);
  return [...names]
    .filter((name) => name !== 'key' && !isDeepStrictEqual(old?.get(name), now?.get(name)))
    .map((property) => ({ property, before: old?.get(property), after: now?.get(property) }));
}
