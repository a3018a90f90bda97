import type { Erasure, PersonErasure, ServiceName } from '@switchboard/contracts';
import type { Db } from '@switchboard/database';
import { directoryTombstone, type ErasureReport } from '@switchboard/directory';
import { type AuditedChange, NotFound } from '@switchboard/http';
import type { Outbox } from '../outbox/outbox.ts';
import { projectNotFound } from '../projects/projects.ts';
import { createProjectsStore } from '../projects/store.ts';
import { leaveServiceTokens } from '../tokens/leaving.ts';
import { tokenTombstones } from '../tokens/record.ts';
import { createTokensStore } from '../tokens/store.ts';
import type { Beginnings } from './beginnings.ts';
import { erasureRecord } from './record.ts';
import { createErasuresStore, type ErasurePartRow, type ErasureRow, type ErasureSelection } from './store.ts';

/** The services that hold data about a project's end users. */
const OF_PEOPLE: readonly ServiceName[] = ['analytics', 'archive', 'collaboration', 'flags', 'messenger'];

/** Erasures. Services carry them out and report when they are done. */
export interface Erasures {
  /** Throws NotFound when the project does not exist. */
  erasePerson(change: AuditedChange, projectId: string, person: PersonErasure): Promise<Erasure>;
  /** Removes the colleague from every company and revokes service tokens, as removing a member does. */
  eraseColleague(change: AuditedChange, sub: string): Promise<Erasure>;
  /** Returns a page of erasures, newest first. */
  list(selection: ErasureSelection): Promise<{ erasures: Erasure[]; nextCursor: string | null }>;
  /** Throws NotFound. */
  get(id: string): Promise<Erasure>;
  /** Records that a service has completed its part. Repeated and unknown reports have no effect. */
  markDone(report: ErasureReport): Promise<void>;
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
  beginnings: Beginnings;
}

const OPEN_AT_ONCE = 100;

export function createErasures({ db, outbox, beginnings }: ErasuresOptions): Erasures {
  const store = createErasuresStore(db);

  async function get(id: string): Promise<Erasure> {
    const row = await store.find(id);
    if (row === undefined) throw new NotFound('Erasure not found.');
    return present(row, await store.parts([id]));
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

    async erasePerson(change, projectId, { distinctIds, userId = null }) {
      const id = await outbox.change(change, async (tx, announce) => {
        const project = await createProjectsStore(tx).hold(projectId);
        if (project === undefined) throw projectNotFound();
        const begun = await beginnings.begin(
          tx,
          announce,
          { kind: 'person', projectId, distinctIds, userId },
          { regions: [project.region], services: OF_PEOPLE },
        );
        change.describe({ object: `erasure:${begun}` });
        return begun;
      });
      return get(id);
    },

    async eraseColleague(change, sub) {
      const id = await outbox.change(change, async (tx, announce) => {
        const companies = await createErasuresStore(tx).removeMemberships(sub);
        announce(companies.map((companyId) => directoryTombstone('member', companyId, sub)));
        for (const companyId of companies) {
          const leaving = { companyId, sub, role: undefined, keeps: false };
          announce((await leaveServiceTokens(tx, leaving)).records);
        }
        const tokens = createTokensStore(tx);
        announce(tokenTombstones(await tokens.removeOfPerson(sub)));
        await tokens.forgetMaker(sub);
        const [begun = ''] = await beginnings.beginEverywhere(tx, announce, [{ kind: 'colleague', sub }]);
        change.describe({ object: `erasure:${begun}` });
        return begun;
      });
      return get(id);
    },

    async markDone({ erasureId, service: name }) {
      const [doneIn = '', service = ''] = name.split('/');
      await outbox.change(db, async (tx, announce) => {
        const own = createErasuresStore(tx);
        const row = await own.lock(erasureId);
        if (row === undefined || row.subject === null) return;
        if (!(await own.markDone(erasureId, { region: doneIn, service }))) return;
        const parts = await own.parts([erasureId]);
        const isOfSomebody = row.kind === 'person' || row.kind === 'colleague';
        if (isOfSomebody && parts.every(({ doneAt }) => doneAt !== null)) {
          await own.forgetSubject(erasureId);
          announce([directoryTombstone('erasure', erasureId)]);
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
