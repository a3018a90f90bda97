import { type Database, gatherReads, isUnavailable } from '@switchboard/database';
import { LRUCache } from 'lru-cache';
import { type Cache, createCache } from './cache.ts';
import { within } from './errors.ts';
import {
  type Entitlements,
  type Entries,
  entryId,
  findKey,
  type Kind,
  type Member,
  type Project,
  parseEntry,
  type Report,
} from './record.ts';
import { readEntries } from './store.ts';

/** A live project key with what it opens. */
export interface ProjectKey {
  key: string;
  projectId: string;
  companyId: string;
  region: string;
}

export interface LookUps {
  /** From memory when the key is known; undefined when it is unknown or revoked. */
  projectKey(key: string): Promise<ProjectKey | undefined>;
  project(projectId: string): Promise<Project | undefined>;
  member(companyId: string, sub: string): Promise<Member | undefined>;
  /** Those of the named that are members of the company, in the order they are named. */
  members(companyId: string, subs: readonly string[]): Promise<Member[]>;
  /** What the company's plan includes, overridden one by one by the company's own; empty when unknown. */
  entitlements(companyId: string): Promise<Entitlements>;
  report(projectId: string, reportId: string): Promise<Report | undefined>;
}

const capacities: { [K in Kind]: number } = {
  key: 1_000_000,
  project: 1_000_000,
  company: 100_000,
  plan: 10_000,
  member: 100_000,
  report: 100_000,
};

const readTimeoutMs = 2_000;
const projectKeyPattern = /^pk_[a-z0-9]{1,20}_[0-9A-Za-z]{32}$/;

interface LookUpOptions {
  database: Database;
  /** Throws while the replica cannot be read. */
  assertReadable(): void;
}

/** Look-ups in the replica through memory. All throw DirectoryUnavailable or the database's error when it is away. */
export function createLookUps({ database, assertReadable }: LookUpOptions) {
  function cacheOf<K extends Kind, V extends {}>(
    kind: K,
    keep: (entry: Entries[K], id: string) => V | Promise<V>,
  ): Cache<V> {
    const read = gatherReads((ids) => within(readTimeoutMs, readEntries(database.drizzle, kind, ids)));
    return createCache<V>({
      capacity: capacities[kind],
      isAway: isUnavailable,
      async read(id) {
        assertReadable();
        const row = await read(id);
        if (row === undefined) return undefined;
        return { id: row.id, value: await keep(parseEntry(kind, row.value), row.id) };
      },
    });
  }

  // With a million projects it counts that a text that many of them have is kept once.
  const texts = new LRUCache<string, string>({ max: 10_000 });
  function share(text: string): string {
    const shared = texts.get(text);
    if (shared === undefined) texts.set(text, text);
    return shared ?? text;
  }
  const projects = cacheOf('project', (project, rowId): Project => {
    return {
      id: project.id === rowId ? rowId : project.id,
      companyId: share(project.companyId),
      name: project.name,
      region: share(project.region),
      defaultLanguage: share(project.defaultLanguage),
    };
  });
  const keys = cacheOf(
    'key',
    async ({ projectId }) => (await projects.get(entryId(projectId)))?.id ?? projectId,
  );
  const members = cacheOf('member', (member) => member);
  const companies = cacheOf('company', ({ plan, entitlements }) => ({
    planId: entryId(plan.tier, plan.cycle),
    entitlements,
  }));
  const plans = cacheOf('plan', ({ entitlements }) => entitlements);
  const reports = cacheOf('report', (report) => report);
  const caches: { [K in Kind]: Pick<Cache<never>, 'drop' | 'distrust'> } = {
    plan: plans,
    company: companies,
    member: members,
    project: projects,
    key: keys,
    report: reports,
  };

  const lookUps: LookUps = {
    async projectKey(key) {
      if (!projectKeyPattern.test(key)) return undefined;
      const known = keys.get(key);
      const projectId = known instanceof Promise ? await known : known;
      if (projectId === undefined) return undefined;
      const found = projects.get(entryId(projectId));
      const project = found instanceof Promise ? await found : found;
      if (project === undefined) return undefined;
      return { key, projectId, companyId: project.companyId, region: project.region };
    },
    project: async (projectId) => projects.get(entryId(projectId)),
    member: async (companyId, sub) => members.get(entryId(companyId, sub)),
    async members(companyId, subs) {
      const found = await Promise.all(subs.map((sub) => members.get(entryId(companyId, sub))));
      return found.filter((member) => member !== undefined);
    },
    async entitlements(companyId) {
      const company = await companies.get(entryId(companyId));
      if (company === undefined) return {};
      return { ...(await plans.get(company.planId)), ...company.entitlements };
    },
    report: async (projectId, reportId) => reports.get(entryId(projectId, reportId)),
  };

  return {
    lookUps,
    /** Drops what `kind:id` names; a key of no known kind is kept by nobody. */
    drop(recordKey: string) {
      const key = findKey(recordKey);
      if (key !== undefined) caches[key.kind].drop(key.id);
    },
    distrust() {
      for (const cache of Object.values(caches)) cache.distrust();
    },
  };
}
