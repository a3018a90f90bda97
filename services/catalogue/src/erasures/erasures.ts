import type { Erasure, PersonErasure, ServiceName } from '@switchboard/contracts';
import { type Db, newId } from '@switchboard/database';
import { directoryTombstone, type ErasureReport, type ErasureSubject } from '@switchboard/directory';
import { auditDetails, NotFound } from '@switchboard/service-kit';
import type { Announce, Outbox } from '../outbox/outbox.ts';
import { projectNotFound } from '../projects/projects.ts';
import { createProjectsStore } from '../projects/store.ts';
import { tokenTombstones } from '../tokens/record.ts';
import { createTokensStore } from '../tokens/store.ts';
import { erasureRecord } from './record.ts';
import {
  createErasuresStore,
  type ErasurePartRow,
  type ErasureRow,
  type ErasureSelection,
  type ErasuresStore,
} from './store.ts';

/** The services that hold data of a project's people. */
const OF_PEOPLE: readonly ServiceName[] = ['analytics', 'archive', 'collaboration', 'flags', 'messenger'];

/** Erasures of people and colleagues, which the services carry out and report. */
export interface Erasures {
  /** Throws NotFound when the project does not exist. */
  erasePerson(projectId: string, person: PersonErasure): Promise<Erasure>;
  /** Removes the colleague from every company. */
  eraseColleague(sub: string): Promise<Erasure>;
  /** A page of erasures, newest first. */
  list(selection: ErasureSelection): Promise<{ erasures: Erasure[]; nextCursor: string | null }>;
  /** Throws NotFound. */
  get(id: string): Promise<Erasure>;
  /** A service has done its part. Repeated and unknown reports change nothing. */
  markDone(report: ErasureReport): Promise<void>;
  oldestSeconds(): Promise<number>;
}

interface ErasuresOptions {
  db: Db;
  outbox: Outbox;
  /** The region of this deployment. */
  region: string;
  /** Where colleagues are erased. Default: this region and those of all projects. */
  regions: readonly string[] | undefined;
  /** The services that run, apart from this one. */
  services: ReadonlySet<ServiceName>;
}

export function createErasures({ db, outbox, region, regions, services }: ErasuresOptions): Erasures {
  const store = createErasuresStore(db);

  async function begin(
    own: ErasuresStore,
    announce: Announce,
    { subject, ...places }: { subject: ErasureSubject; regions: string[]; names: Iterable<ServiceName> },
  ): Promise<string> {
    const id = newId('ers');
    auditDetails({ object: `erasure:${id}` });
    const running = [...places.names].filter((name) => services.has(name));
    const parts = places.regions.flatMap((one) =>
      running.map((service) => ({ region: one, service, doneAt: null })),
    );
    const json = JSON.stringify(subject);
    const { kind } = subject;
    const projectId = kind === 'person' ? subject.projectId : null;
    await own.add({ id, kind, projectId, subject: parts.length === 0 ? null : json }, parts);
    if (parts.length > 0) announce([erasureRecord({ id, subject: json, parts })]);
    return id;
  }

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

    async erasePerson(projectId, { distinctIds, userId = null }) {
      const id = await outbox.change(async (tx, announce) => {
        const project = await createProjectsStore(tx).hold(projectId);
        if (project === undefined) throw projectNotFound();
        const subject: ErasureSubject = { kind: 'person', projectId, distinctIds, userId };
        const places = { regions: [project.region], names: OF_PEOPLE };
        return begin(createErasuresStore(tx), announce, { subject, ...places });
      });
      return get(id);
    },

    async eraseColleague(sub) {
      const id = await outbox.change(async (tx, announce) => {
        const own = createErasuresStore(tx);
        const companies = await own.removeMemberships(sub);
        announce(companies.map((companyId) => directoryTombstone('member', companyId, sub)));
        const tokens = createTokensStore(tx);
        announce(tokenTombstones(await tokens.removeOfPerson(sub)));
        await tokens.forgetMaker(sub);
        const all = regions ?? [region, ...(await own.regions())];
        const places = { regions: [...new Set(all)], names: services };
        return begin(own, announce, { subject: { kind: 'colleague', sub }, ...places });
      });
      return get(id);
    },

    async markDone({ erasureId, service: name }) {
      const [doneIn = '', service = ''] = name.split('/');
      await outbox.change(async (tx, announce) => {
        const own = createErasuresStore(tx);
        const row = await own.lock(erasureId);
        if (row === undefined || row.subject === null) return;
        if (!(await own.markDone(erasureId, { region: doneIn, service }))) return;
        const parts = await own.parts([erasureId]);
        if (parts.every(({ doneAt }) => doneAt !== null)) {
          await own.forgetSubject(erasureId);
          announce([directoryTombstone('erasure', erasureId)]);
        } else {
          announce([erasureRecord({ id: erasureId, subject: row.subject, parts })]);
        }
      });
    },
  };
}

function present({ id, kind, projectId, createdAt }: ErasureRow, parts: ErasurePartRow[]): Erasure {
  return {
    id,
    kind,
    projectId,
    state: parts.every(({ doneAt }) => doneAt !== null) ? 'done' : 'running',
    createdAt: createdAt.toISOString(),
    services: parts.map(({ region, service, doneAt }) => ({
      region,
      service,
      doneAt: doneAt?.toISOString() ?? null,
    })),
  };
}
