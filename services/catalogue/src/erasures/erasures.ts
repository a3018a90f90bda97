import { type Erasure, type ErasureDetails, FINISH_ERASURE } from '@switchboard/contracts';
import type { Db, Tx } from '@switchboard/database';
import { directoryTombstone, type ErasureReport, erasureSubject } from '@switchboard/directory';
import { type AuditTrail, NotFound } from '@switchboard/http';
import type { Outbox } from '../outbox/outbox.ts';
import { erasureRecord } from '../records/erasures.ts';
import { createErasuresStore, type ErasurePartRow, type ErasureRow, type ErasureSelection } from './store.ts';

/** Erasures. Services carry them out and report when they are done. */
export interface Erasures {
  /** Returns a page of erasures, newest first. */
  list(selection: ErasureSelection): Promise<{ erasures: Erasure[]; nextCursor: string | null }>;
  /** Throws NotFound. */
  get(id: string): Promise<ErasureDetails>;
  /**
   * Records that a service has completed its part, or adds the ids that it found. Repeated and unknown reports have no
   * effect.
   */
  apply(report: ErasureReport): Promise<void>;
  oldestSeconds(): Promise<number>;
  /**
   * Publishes incomplete erasures again, because an earlier version of a service may not have been able to read
   * them.
   */
  publishOpen(): Promise<void>;
}

interface ErasuresOptions {
  db: Db;
  outbox: Outbox;
  audit: Pick<AuditTrail, 'scheduled'>;
}

const OPEN_AT_ONCE = 100;

export function createErasures({ db, outbox, audit }: ErasuresOptions): Erasures {
  const store = createErasuresStore(db);

  async function get(id: string): Promise<ErasureDetails> {
    const row = await store.find(id);
    if (row === undefined) throw new NotFound('Erasure not found.');
    const subject = row.subject === null ? undefined : subjectOf(row.subject);
    const distinctIds = subject?.kind === 'person' ? subject.distinctIds : null;
    return { ...present(row, await store.parts([id])), distinctIds };
  }

  /** Tells the audit trail, and so webhooks, that a person is erased. */
  async function recordEnd(tx: Tx, { id, companyId, projectId }: ErasureRow): Promise<void> {
    if (companyId === null) return;
    await audit.scheduled(tx, {
      scheduledBy: id,
      action: FINISH_ERASURE,
      object: `erasure:${id}`,
      outcome: 'allowed',
      companyId,
      projectId,
    });
  }

  return {
    async list(selection) {
      const { rows, nextCursor } = await store.list(selection);
      const parts = await store.parts(rows.map(({ id }) => id));
      const partsOf = Map.groupBy(parts, ({ erasureId }) => erasureId);
      return { erasures: rows.map((row) => present(row, partsOf.get(row.id) ?? [])), nextCursor };
    },

    get,
    oldestSeconds: store.oldestSeconds,

    async apply({ erasureId, service: name, found }) {
      const [doneIn = '', service = ''] = name.split('/');
      await outbox.change(db, async (tx, announce) => {
        const own = createErasuresStore(tx);
        const row = await own.lock(erasureId);
        if (row === undefined || row.subject === null) return;
        if (found !== undefined) {
          const subject = subjectOf(row.subject);
          if (subject.kind !== 'person') return;
          const distinctIds = [...new Set([...subject.distinctIds, ...found])];
          if (distinctIds.length === subject.distinctIds.length) return;
          const json = JSON.stringify({ ...subject, distinctIds });
          await own.saveSubject(erasureId, json);
          announce([erasureRecord({ id: erasureId, subject: json, parts: await own.parts([erasureId]) })]);
          return;
        }
        if (!(await own.markDone(erasureId, { region: doneIn, service }))) return;
        const parts = await own.parts([erasureId]);
        const isOfSomebody = row.kind === 'person' || row.kind === 'colleague';
        if (isOfSomebody && parts.every(({ doneAt }) => doneAt !== null)) {
          await own.saveSubject(erasureId, null);
          announce([directoryTombstone('erasure', erasureId)]);
          if (row.kind === 'person') await recordEnd(tx, row);
        } else {
          announce([erasureRecord({ id: erasureId, subject: row.subject, parts })]);
        }
      });
    },

    async publishOpen() {
      for (let after: string | undefined = ''; after !== undefined; ) {
        const from: string = after;
        after = await outbox.change(db, async (tx, announce) => {
          const own = createErasuresStore(tx);
          const page = await own.open(from, OPEN_AT_ONCE);
          for (const { id } of page) {
            const row = await own.lock(id);
            if (row?.subject == null) continue;
            announce([erasureRecord({ id, subject: row.subject, parts: await own.parts([id]) })]);
          }
          return page.length < OPEN_AT_ONCE ? undefined : page.at(-1)?.id;
        });
      }
    },
  };
}

const subjectOf = (json: string) => erasureSubject.parse(JSON.parse(json));

function present(
  { id, kind, projectId, companyId, createdAt }: ErasureRow,
  parts: ErasurePartRow[],
): Erasure {
  return {
    id,
    kind,
    projectId,
    companyId,
    state: parts.every(({ doneAt }) => doneAt !== null) ? 'done' : 'running',
    createdAt: createdAt.toISOString(),
    services: parts.map(({ region, service, doneAt }) => ({
      region,
      service,
      doneAt: doneAt?.toISOString() ?? null,
    })),
  };
}
