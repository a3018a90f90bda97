import { type OutgoingRecord, partitionFor } from '@switchboard/event-log';
import { z } from 'zod';

/** The compacted topic that carries every change of the directory. */
export const DIRECTORY_TOPIC = 'directory';

/** Minimum retention of tombstones. A replica that was behind for half of it is reset. */
export const DIRECTORY_TOMBSTONE_RETENTION_MS = 30 * 24 * 3_600_000;

const entitlements = z.record(z.string(), z.unknown());

const pushSubscription = z.object({
  endpoint: z.string(),
  expirationTime: z.number().nullish(),
  keys: z.object({ p256dh: z.string(), auth: z.string() }),
});

const erasedPerson = z.object({
  kind: z.literal('person'),
  projectId: z.string(),
  distinctIds: z.array(z.string()),
  userId: z.string().nullable(),
});

const erasedColleague = z.object({ kind: z.literal('colleague'), sub: z.string() });

const erasedProject = z.object({ kind: z.literal('project'), projectId: z.string() });

const erasedCompany = z.object({ kind: z.literal('company'), companyId: z.string() });

/** What is erased: a person in one project, a colleague everywhere, or a project or company that was deleted. */
export const erasureSubject = z.discriminatedUnion('kind', [
  erasedPerson,
  erasedColleague,
  erasedProject,
  erasedCompany,
]);
export type ErasureSubject = z.infer<typeof erasureSubject>;
/** A deleted project or company. Its erasure stays in the directory, because its id is never used again. */
export type DeletedSubject = Extract<ErasureSubject, { kind: 'project' | 'company' }>;

/** Differs from that of an earlier entry of the same id, which was removed. Absent before there were generations. */
const generation = z.string().optional();

const schemas = {
  plan: z.object({ tier: z.string(), cycle: z.string(), entitlements }),
  company: z.object({
    id: z.string(),
    name: z.string(),
    plan: z.object({ tier: z.string(), cycle: z.string() }),
    entitlements,
  }),
  member: z.object({
    companyId: z.string(),
    sub: z.string(),
    name: z.string(),
    email: z.string(),
    /** Absent before roles existed. A name that this version does not know is the least role. */
    role: z.string().optional(),
    avatarUrl: z.string().nullable(),
    pushSubscriptions: z.array(pushSubscription),
    generation,
  }),
  project: z.object({
    id: z.string(),
    companyId: z.string(),
    name: z.string(),
    region: z.string(),
    defaultLanguage: z.string(),
    /** Of the pages that its keys serve; absent: any. */
    allowedOrigins: z.array(z.string()).optional(),
    /** What an operator allows ingestion to take of it, 0: nothing; absent: any. */
    eventsPerSecond: z.number().nonnegative().optional(),
  }),
  key: z.object({ key: z.string(), projectId: z.string() }),
  report: z.object({
    projectId: z.string(),
    id: z.string(),
    name: z.string(),
    publicAnnotations: z.boolean().optional(),
    /** A question of insights, which their reader checks. */
    query: z.record(z.string(), z.unknown()).nullish(),
    refresh: z.string().nullish(),
    generation,
  }),
  /** A personal access token or a service token. */
  token: z.object({
    id: z.string(),
    companyId: z.string(),
    kind: z.enum(['personal', 'service']),
    /** Whom a personal token acts as; null for a service token. */
    sub: z.string().nullable(),
    permissions: z.array(z.string()),
    /** null: every project of the company, and the company. */
    projectIds: z.array(z.string()).nullable(),
    expiresAt: z.iso.datetime(),
    /** SHA-256, base64url, of the values that are valid; until a time, or for as long as the token. */
    hashes: z.array(z.object({ hash: z.string(), until: z.iso.datetime().nullable() })),
  }),
  erasure: z.object({
    id: z.string(),
    subject: erasureSubject,
    /** The services, each as region/service, that have not reported yet. None: of a deleted project or company. */
    waitingFor: z.array(z.string()),
  }),
};

export type Kind = keyof typeof schemas;
/** The entry of each kind. */
export type Entries = { [K in Kind]: z.infer<(typeof schemas)[K]> };
export type Entitlements = z.infer<typeof entitlements>;
export type PushSubscription = z.infer<typeof pushSubscription>;
export type Member = Entries['member'];
export type Project = Entries['project'];
export type Report = Entries['report'];
export type ApiToken = Entries['token'];
export type ErasedPerson = z.infer<typeof erasedPerson>;

const entrySchemas: { [K in Kind]: z.ZodType<Entries[K]> } = schemas;

const names: { [K in Kind]: (entry: Entries[K]) => string[] } = {
  plan: (plan) => [plan.tier, plan.cycle],
  company: (company) => [company.id],
  member: (member) => [member.companyId, member.sub],
  project: (project) => [project.id],
  key: (key) => [key.key],
  report: (report) => [report.projectId, report.id],
  token: (token) => [token.id],
  erasure: (erasure) => [erasure.id],
};

const knownKinds = z.enum(['plan', 'company', 'member', 'project', 'key', 'report', 'token', 'erasure']);

/** What `encodeURIComponent` leaves as it is. */
const UNRESERVED = /^[A-Za-z0-9_.!~*'()-]*$/;

/** The id of an entry from its identifiers, the parent's first: percent-encoded and joined by `/`. */
export function entryId(...identifiers: readonly string[]): string {
  const [only] = identifiers;
  // Nearly all need no encoding, and the same text is looked up faster than a new one.
  if (only !== undefined && identifiers.length === 1 && UNRESERVED.test(only)) return only;
  return identifiers.map((identifier) => encodeURIComponent(identifier.toWellFormed())).join('/');
}

/** One record of the topic `directory`, as it is published. */
export interface DirectoryRecord {
  /** `kind:id` */
  key: string;
  /** JSON of the entry; null is a tombstone. */
  value: string | null;
}

/** The record of a new or changed entry. Changes of one entry must be published in order. */
export function directoryRecord<K extends Kind>(kind: K, entry: Entries[K]): DirectoryRecord {
  return {
    key: `${kind}:${entryId(...names[kind](entry))}`,
    value: JSON.stringify(entrySchemas[kind].parse(entry)),
  };
}

/** The record of a removed entry. `identifiers` are its parent's, if it has one, and its own. */
export function directoryTombstone(kind: Kind, ...identifiers: readonly string[]): DirectoryRecord {
  return { key: `${kind}:${entryId(...identifiers)}`, value: null };
}

const REVISION_HEADER = 'revision';

/**
 * A record as it goes to a topic of so many partitions. `revision` must be greater with each change of the
 * entry: readers skip records that are not newer than their own.
 */
export function outgoingRecord(
  { key, value }: DirectoryRecord,
  revision: bigint,
  partitions: number,
): OutgoingRecord {
  return {
    partition: partitionFor(key, partitions),
    key,
    value: value === null ? null : Buffer.from(value),
    headers: { [REVISION_HEADER]: String(revision) },
  };
}

/** Reads the JSON of an entry. Throws when it is not one. */
export function parseEntry<K extends Kind>(kind: K, value: string): Entries[K] {
  return entrySchemas[kind].parse(JSON.parse(value));
}

/** A record that this replica cannot read; the message says why. */
export class UnreadableRecord extends Error {}

export interface EntryKey {
  kind: Kind;
  id: string;
}

/** Printable ASCII: an id is percent-encoded. */
const RECORD_KEY = /^([a-z]+):([\x21-\x7e]{1,5000})$/;

/** Splits `kind:id`; undefined when it is none. */
export function findKey(key: string | null): EntryKey | undefined {
  const [, kind, id] = RECORD_KEY.exec(key ?? '') ?? [];
  const known = knownKinds.safeParse(kind);
  return known.success && id !== undefined ? { kind: known.data, id } : undefined;
}

/** An entry as of one of its revisions: its JSON as it was published, or null when it was gone. */
export interface Change extends EntryKey {
  value: string | null;
  revision: bigint;
}

/** What a record changes. Throws `UnreadableRecord`. */
export function parseRecord(record: Pick<OutgoingRecord, 'key' | 'value' | 'headers'>): Change {
  const { key, headers } = record;
  const value = record.value === null ? null : record.value.toString('utf8');
  const named = findKey(key);
  if (named === undefined) {
    throw new UnreadableRecord(`key: not one of ${knownKinds.options.join(', ')}, then ":" and an id`);
  }
  const { kind, id } = named;
  if (value !== null && idOf(kind, value) !== id) {
    throw new UnreadableRecord(`value: names another ${kind} than the key does`);
  }
  return { kind, id, value, revision: parseRevision(headers[REVISION_HEADER]) };
}

function parseRevision(text = ''): bigint {
  if (!/^\d{1,18}$/.test(text)) {
    throw new UnreadableRecord(`header ${REVISION_HEADER}: not a whole number of up to 18 digits`);
  }
  return BigInt(text);
}

function idOf<K extends Kind>(kind: K, value: string): string {
  try {
    return entryId(...names[kind](parseEntry(kind, value)));
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    throw new UnreadableRecord(`value: not a ${kind}: ${reason}`, { cause: error });
  }
}
