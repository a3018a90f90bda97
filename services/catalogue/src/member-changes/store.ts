import type { Tx } from '@switchboard/database';
import { lt } from 'drizzle-orm';
import { appliedMemberships } from '../schema/index.ts';

export interface MemberChangesStore {
  /** Notes the revision. Returns false if this revision or a later one was applied before. */
  advance(memberHash: string, revision: bigint): Promise<boolean>;
}

export function createMemberChangesStore(tx: Tx): MemberChangesStore {
  return {
    async advance(memberHash, revision) {
      const advanced = await tx
        .insert(appliedMemberships)
        .values({ memberHash, revision })
        .onConflictDoUpdate({
          target: appliedMemberships.memberHash,
          set: { revision },
          setWhere: lt(appliedMemberships.revision, revision),
        })
        .returning({ revision: appliedMemberships.revision });
      return advanced.length > 0;
    },
  };
}
