import { type Database, isUnavailable } from '@switchboard/database';
import { estimateSize, shareOfHeap } from '@switchboard/engine';
import { type Cache, coalesce, createCache, type Reads, withDeadline } from '@switchboard/resilience';
import { LRUCache } from 'lru-cache';
import { DirectoryUnavailable } from './errors.ts';
import {
  type ApiToken,
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
import { hasMember, readEntries } from './store.ts';

/** A valid project key and its project. */
export interface ProjectKey {
  key: string;
  projectId: string;
  companyId: string;
  region: string;
  /** The origins of the pages that the key serves. Absent: any origin. */
  allowedOrigins?: readonly string[] | undefined;
  /** The APIs of other products that the key works with. Absent: none. */
  wires?: readonly string[] | undefined;
  /** The ingestion limit that an operator set for the project. 0: nothing is accepted. Absent: no limit. */
  eventsPerSecond?: number | undefined;
}

/**
 * Look-ups in the directory. A missing entry may have been written a moment ago, so before a look-up reports it as
 * missing, the replica applies everything that was on the topic at the call (`Freshness`).
 */
export interface LookUps {
  /** Returns undefined for an unknown or revoked key. Synchronous if the key is in memory. */
  projectKey(key: string): ProjectKey | undefined | Promise<ProjectKey | undefined>;
  project(projectId: string): Promise<Project | undefined>;
  member(companyId: string, sub: string): Promise<Member | undefined>;
  /** Returns whether the replica has the person as a member of any company. Does not wait for the replica. */
  isMember(sub: string): Promise<boolean>;
  /** Returns the company's members among `subs`, in the given order. Does not wait for the replica. */
  members(companyId: string, subs: readonly string[]): Promise<Member[]>;
  /** Returns the entitlements of the company's plan with the company's overrides. Empty for an unknown company. */
  entitlements(companyId: string): Promise<Entitlements>;
  report(projectId: string, reportId: string): Promise<Report | undefined>;
  /** Returns undefined for an unknown or revoked token. The caller must check its expiry. */
  token(tokenId: string): Promise<ApiToken | undefined>;
  /** Returns the number of look-ups so far, by whether the entry was in memory. */
  reads(): Reads;
}

const MIB = 1_048_576;
/** The kinds that requests look up. */
type CachedKind = Exclude<Kind, 'erasure'>;

/**
 * The cache size per kind in a large heap: a million projects with one key each, and a hundred thousand entries of
 * most other kinds. In a smaller heap, all caches together use a quarter of it.
 */
const MAX_BYTES: { [K in CachedKind]: number } = {
  key: 256 * MIB,
  project: 384 * MIB,
  company: 64 * MIB,
  plan: 16 * MIB,
  member: 64 * MIB,
  report: 48 * MIB,
  token: 16 * MIB,
};

const ALL_BYTES = Object.values(MAX_BYTES).reduce((sum, bytes) => sum + bytes);
const HEAP_SHARE = 0.25;

const READ_TIMEOUT_MS = 2_000;
/**
 * How long an entry stays cached. Changes are announced, so this matters only if an announcement is lost for good.
 */
const FRESH_FOR_MS = 24 * 3_600_000;
const PROJECT_KEY = /^pk_[a-z0-9]{1,20}_[0-9A-Za-z]{32}$/;
/** Longer than any possible id, so longer ids need no query. */
const MAX_ID_LENGTH = 5_000;

type Invalidation = 'drop' | 'invalidateAll' | 'invalidateMissing';

interface LookUpOptions {
  database: Database;
  /** Throws if the replica is incomplete. */
  assertReadable(): void;
  /** Resolves when the replica has applied everything on the topic at the call, or cannot do so in time. */
  caughtUp(): Promise<void>;
}

/**
 * Creates cached look-ups in the replica. They throw DirectoryUnavailable or the database error if the database is
 * unavailable and the entry is not in memory.
 */
export function createLookUps({ database, assertReadable, caughtUp }: LookUpOptions) {
  function cacheOf<K extends CachedKind, V extends {}>(
    kind: K,
    keep: (entry: Entries[K], id: string) => V | Promise<V>,
    sizeOf: (value: V) => number = estimateSize,
  ): Pick<Cache<V | undefined>, 'get' | 'reads' | Invalidation> {
    const read = coalesce<string, string | undefined>(async (ids) => {
      const rows = await withDeadline(
        READ_TIMEOUT_MS,
        readEntries(database.drizzle, kind, ids),
        databaseSilent,
      );
      return ids.map((id) => rows.get(id));
    });
    const cache = createCache<V | undefined>({
      maxBytes: shareOfHeap((HEAP_SHARE * MAX_BYTES[kind]) / ALL_BYTES, MAX_BYTES[kind]),
      sizeOf,
      freshForMs: FRESH_FOR_MS,
      isUnavailable: (error) => error instanceof DirectoryUnavailable || isUnavailable(error),
      async load(id) {
        assertReadable();
        const value = await read(id);
        return value === undefined ? undefined : keep(parseEntry(kind, value), id);
      },
    });
    return { ...cache, get: (id) => (id.length > MAX_ID_LENGTH ? undefined : cache.get(id)) };
  }

  // A million projects share a few regions and companies, so each string is kept in memory once.
  const texts = new LRUCache<string, string>({ max: 10_000 });
  function share(text: string): string {
    const shared = texts.get(text);
    if (shared === undefined) texts.set(text, text);
    return shared ?? text;
  }
  const projects = cacheOf('project', (project, id): Project => {
    return {
      id: project.id === id ? id : project.id,
      companyId: share(project.companyId),
      name: project.name,
      region: share(project.region),
      defaultLanguage: share(project.defaultLanguage),
      ...(project.allowedOrigins && { allowedOrigins: project.allowedOrigins }),
      ...(project.wires && { wires: project.wires.map(share) }),
      ...(project.eventsPerSecond !== undefined && { eventsPerSecond: project.eventsPerSecond }),
      ...(project.flagApprovals !== undefined && { flagApprovals: project.flagApprovals }),
    };
  });
  const keys = cacheOf(
    'key',
    async ({ projectId }) => (await projects.get(entryId(projectId)))?.id ?? projectId,
    // The key shares its string with the project.
    () => 0,
  );
  const members = cacheOf('member', (member) => member);
  const companies = cacheOf('company', ({ plan, entitlements }) => ({
    planId: entryId(plan.tier, plan.cycle),
    entitlements,
  }));
  const plans = cacheOf('plan', ({ entitlements }) => entitlements);
  const reports = cacheOf('report', (report) => report);
  const tokens = cacheOf('token', (token) => token);
  const caches: { [K in CachedKind]: Pick<Cache<never>, 'reads' | Invalidation> } = {
    plan: plans,
    company: companies,
    member: members,
    project: projects,
    key: keys,
    report: reports,
    token: tokens,
  };

  /** Reads again before it reports an entry as missing. */
  async function find<V>(
    read: () => V | undefined | Promise<V | undefined>,
    found = read(),
  ): Promise<V | undefined> {
    const value = found instanceof Promise ? await found : found;
    if (value !== undefined) return value;
    await caughtUp();
    return read();
  }

  function findProjectKey(key: string): ProjectKey | undefined | Promise<ProjectKey | undefined> {
    const projectId = keys.get(key);
    if (projectId instanceof Promise) return projectId.then((id) => ofProject(key, id));
    return ofProject(key, projectId);
  }

  function ofProject(
    key: string,
    projectId: string | undefined,
  ): ProjectKey | undefined | Promise<ProjectKey | undefined> {
    if (projectId === undefined) return undefined;
    const project = projects.get(entryId(projectId));
    if (project instanceof Promise) return project.then((loaded) => keyOf(key, loaded));
    return keyOf(key, project);
  }

  const lookUps: LookUps = {
    projectKey(key) {
      if (!PROJECT_KEY.test(key)) return undefined;
      const read = () => findProjectKey(key);
      const found = read();
      return found === undefined || found instanceof Promise ? find(read, found) : found;
    },
    project: (projectId) => find(() => projects.get(entryId(projectId))),
    member: (companyId, sub) => find(() => members.get(entryId(companyId, sub))),
    async isMember(sub) {
      assertReadable();
      return withDeadline(READ_TIMEOUT_MS, hasMember(database.drizzle, sub), databaseSilent);
    },
    async members(companyId, subs) {
      const found = await Promise.all(subs.map((sub) => members.get(entryId(companyId, sub))));
      return found.filter((member) => member !== undefined);
    },
    async entitlements(companyId) {
      const company = await find(() => companies.get(entryId(companyId)));
      if (company === undefined) return {};
      return { ...(await find(() => plans.get(company.planId))), ...company.entitlements };
    },
    report: (projectId, reportId) => find(() => reports.get(entryId(projectId, reportId))),
    token: (tokenId) => find(() => tokens.get(entryId(tokenId))),
    reads() {
      const all = Object.values(caches).map((cache) => cache.reads());
      const sum = (of: 'hits' | 'misses') => all.reduce((total, reads) => total + reads[of], 0);
      return { hits: sum('hits'), misses: sum('misses') };
    },
  };

  return {
    lookUps,
    /** Drops the entry of the record key `kind:id`. Records of unknown kinds are not cached. */
    drop(recordKey: string) {
      const key = findKey(recordKey);
      if (key !== undefined && key.kind !== 'erasure') caches[key.kind].drop(key.id);
    },
    invalidateAll() {
      for (const cache of Object.values(caches)) cache.invalidateAll();
    },
    /** Forgets which entries were missing, because they may have been applied since. */
    invalidateMissing() {
      for (const cache of Object.values(caches)) cache.invalidateMissing();
    },
  };
}

const databaseSilent = () => new DirectoryUnavailable('the directory database does not answer');

function keyOf(key: string, project: Project | undefined): ProjectKey | undefined {
  if (project === undefined) return undefined;
  const { id: projectId, companyId, region, allowedOrigins, wires, eventsPerSecond } = project;
  return { key, projectId, companyId, region, allowedOrigins, wires, eventsPerSecond };
}
