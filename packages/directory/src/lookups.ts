import { type Database, isUnavailable } from '@switchboard/database';
import {
  type Cache,
  coalesce,
  createCache,
  estimateSize,
  type Reads,
  shareOfHeap,
  withDeadline,
} from '@switchboard/resilience';
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
  /** Of the pages that the key serves; absent: any. */
  allowedOrigins?: readonly string[] | undefined;
  /** What an operator allows ingestion to take of the project, 0: nothing; absent: any. */
  eventsPerSecond?: number | undefined;
}

/**
 * An entry that the replica does not hold may have been written a moment ago: before a look-up says so, the replica
 * applies what was on the topic at the call (`Freshness`).
 */
export interface LookUps {
  /** Undefined for an unknown or revoked key. At once if it is in memory. */
  projectKey(key: string): ProjectKey | undefined | Promise<ProjectKey | undefined>;
  project(projectId: string): Promise<Project | undefined>;
  member(companyId: string, sub: string): Promise<Member | undefined>;
  /** Whether the person is a member of any company, as the replica holds them: it does not wait. */
  isMember(sub: string): Promise<boolean>;
  /** The members of the company among `subs`, in the given order, as the replica holds them: it does not wait. */
  members(companyId: string, subs: readonly string[]): Promise<Member[]>;
  /** The entitlements of the company's plan, overridden by the company's own; empty for an unknown company. */
  entitlements(companyId: string): Promise<Entitlements>;
  report(projectId: string, reportId: string): Promise<Report | undefined>;
  /** Undefined for an unknown or revoked token; its expiry is the caller's to check. */
  token(tokenId: string): Promise<ApiToken | undefined>;
  /** Look-ups so far, by whether the entry was in memory. */
  reads(): Reads;
}

const MIB = 1_048_576;
/** The kinds that requests look up. */
type CachedKind = Exclude<Kind, 'erasure'>;

/**
 * Room for a million projects with a key each, and for a hundred thousand entries of most other kinds, in a large
 * heap. In a smaller one the caches together have a quarter of it.
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
/** Changes are announced; an entry whose announcement was lost for good is read again after this time. */
const FRESH_FOR_MS = 24 * 3_600_000;
const PROJECT_KEY = /^pk_[a-z0-9]{1,20}_[0-9A-Za-z]{32}$/;
/** Longer than any id there can be: not worth a query. */
const MAX_ID_LENGTH = 5_000;

type Invalidation = 'drop' | 'invalidateAll' | 'invalidateMissing';

interface LookUpOptions {
  database: Database;
  /** Throws while the replica is incomplete. */
  assertReadable(): void;
  /** Resolves when the replica has applied what was on the topic at the call, or cannot in time. */
  caughtUp(): Promise<void>;
}

/**
 * Look-ups in the replica, cached in memory. They throw DirectoryUnavailable or the database's error while the database
 * is unavailable and the entry is not in memory.
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

  // A million projects share a few regions and companies: each text is kept in memory once.
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
      ...(project.eventsPerSecond !== undefined && { eventsPerSecond: project.eventsPerSecond }),
    };
  });
  const keys = cacheOf(
    'key',
    async ({ projectId }) => (await projects.get(entryId(projectId)))?.id ?? projectId,
    // The text is that of the project.
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

  /** Looks again before it says that there is nothing. */
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
    /** Drops the entry that `kind:id` names. Records of unknown kinds are not cached. */
    drop(recordKey: string) {
      const key = findKey(recordKey);
      if (key !== undefined && key.kind !== 'erasure') caches[key.kind].drop(key.id);
    },
    invalidateAll() {
      for (const cache of Object.values(caches)) cache.invalidateAll();
    },
    /** Entries may have been applied that were missing: none is remembered to be missing. */
    invalidateMissing() {
      for (const cache of Object.values(caches)) cache.invalidateMissing();
    },
  };
}

const databaseSilent = () => new DirectoryUnavailable('the database of the directory does not answer');

function keyOf(key: string, project: Project | undefined): ProjectKey | undefined {
  if (project === undefined) return undefined;
  const { id: projectId, companyId, region, allowedOrigins, eventsPerSecond } = project;
  return { key, projectId, companyId, region, allowedOrigins, eventsPerSecond };
}
