import type { ServiceName } from '@switchboard/contracts';
import { newId, type Tx } from '@switchboard/database';
import type { DeletedSubject, ErasureSubject } from '@switchboard/directory';
import type { Announce } from '../outbox/outbox.ts';
import { erasureRecord } from '../records/erasures.ts';
import { createErasuresStore } from './store.ts';

interface Places {
  regions: Iterable<string>;
  services: Iterable<ServiceName>;
}

/** An erasure to begin. */
export interface Beginning {
  subject: ErasureSubject;
  /** The company of the project, or the erased company. Null for a colleague. */
  companyId: string | null;
}

/** Begins erasures in the transaction of the change that causes them. */
export interface Beginnings {
  /** Begins an erasure and returns its id. */
  begin(tx: Tx, announce: Announce, beginning: Beginning, places: Places): Promise<string>;
  /** Begins erasures in every service of every region. `regions` adds regions that may no longer have projects. */
  beginEverywhere(
    tx: Tx,
    announce: Announce,
    beginnings: readonly Beginning[],
    regions?: readonly string[],
  ): Promise<string[]>;
  /** Begins the erasure of a deleted project or company again, unless it is still running or never began. */
  repeat(tx: Tx, announce: Announce, subject: DeletedSubject): Promise<void>;
}

interface BeginningsOptions {
  /** The region of this deployment. */
  region: string;
  /** Default: this region and the regions of all projects. */
  regions: readonly string[] | undefined;
  /** The services of the deployment, except this one. */
  services: ReadonlySet<ServiceName>;
}

export function createBeginnings({ region, regions, services }: BeginningsOptions): Beginnings {
  async function beginAll(
    tx: Tx,
    announce: Announce,
    beginnings: readonly Beginning[],
    places: Places,
  ): Promise<string[]> {
    const running = [...places.services].filter((name) => services.has(name));
    const parts = [...places.regions].flatMap((one) =>
      running.map((service) => ({ region: one, service, doneAt: null })),
    );
    const begun = beginnings.map(({ subject, companyId }) => {
      const id = newId('ers');
      const json = JSON.stringify(subject);
      const isDeleted = subject.kind === 'project' || subject.kind === 'company';
      const row = {
        id,
        kind: subject.kind,
        projectId: 'projectId' in subject ? subject.projectId : null,
        companyId,
        subject: isDeleted || parts.length > 0 ? json : null,
      };
      return { row, record: erasureRecord({ id, subject: json, parts }) };
    });
    await createErasuresStore(tx).add(
      begun.map(({ row }) => row),
      parts,
    );
    announce(begun.filter(({ row }) => row.subject !== null).map(({ record }) => record));
    return begun.map(({ row }) => row.id);
  }

  const beginEverywhere: Beginnings['beginEverywhere'] = async (tx, announce, beginnings, more = []) => {
    const all = regions ?? [region, ...(await createErasuresStore(tx).regions()), ...more];
    return beginAll(tx, announce, beginnings, { regions: new Set(all), services });
  };

  return {
    async begin(tx, announce, beginning, places) {
      const [id = ''] = await beginAll(tx, announce, [beginning], places);
      return id;
    },

    beginEverywhere,

    async repeat(tx, announce, subject) {
      const last = await createErasuresStore(tx).lastOf(subject);
      if (last?.state !== 'done') return;
      await beginEverywhere(tx, announce, [{ subject, companyId: last.companyId }]);
    },
  };
}
