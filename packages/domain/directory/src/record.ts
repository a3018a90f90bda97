import { type OutgoingRecord, partitionFor } from '@switchboard/event-log';
import { z } from 'zod';

/** The compacted topic that carries every change of the directory. */
export const DIRECTORY_TOPIC = 'directory';

/** The minimum retention of tombstones. A replica that was behind for half of it is reset. */
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

/** The subject of an erasure: a person in one project, a colleague everywhere, or a deleted project or company. */
export const erasureSubject = z.discriminatedUnion('kind', [
  erasedPerson,
  erasedColleague,
  erasedProject,
  erasedCompany,
]);
export type ErasureSubject = z.infer<typeof erasureSubject>;
/** A deleted project or company. Its erasure stays in the directory, because ids are never reused. */
export type DeletedSubject = Extract<ErasureSubject, { kind: 'project' | 'company' }>;

/** Distinguishes an entry from a removed one with the same id. Absent in records from before generations existed. */
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
    /** Absent in records from before roles existed. An unknown name means the least privileged role. */
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
    /** The origins of the pages that the project's keys serve. Absent: any origin. */
    allowedOrigins: z.array(z.string()).optional(),
    /** The APIs of other products that the keys work with. Absent: none. */
    wires: z.array(z.string()).optional(),
    /** The ingestion limit that an operator set for the project. 0: nothing is accepted. Absent: no limit. */
    eventsPerSecond: z.number().nonnegative().optional(),
    /** How many other people must approve a change of a flag. Absent: none. */
    flagApprovals: z.number().nonnegative().optional(),
  }),
  key: z.object({ key: z.string(), projectId: z.string() }),
  report: z.object({
    projectId: z.string(),
    id: z.string(),
    name: z.string(),
    publicAnnotations: z.boolean().optional(),
    /** A query of insights. The reader validates it. */
    query: z.record(z.string(), z.unknown()).nullish(),
    refresh: z.string().nullish(),
    generation,
  }),
  /** A personal access token or a service token. */
  token: z.object({
    id: z.string(),
    companyId: z.string(),
    kind: z.enum(['personal', 'service']),
    /** The user that a personal token acts as; null for a service token. */
    sub: z.string().nullable(),
    permissions: z.array(z.string()),
    /** The projects the token can access. null: the company and all of its projects. */
    projectIds: z.array(z.string()).nullable(),
    expiresAt: z.iso.datetime(),
    /** SHA-256 hashes (base64url) of the valid values, each valid until a time or for the lifetime of the token. */
    hashes: z.array(z.object({ hash: z.string(), until: z.iso.datetime().nullable() })),
  }),
  erasure: z.object({
    id: z.string(),
    subject: erasureSubject,
    /**
     * The services, as region/service, that have not reported yet. Empty: all reported (a deleted project or
     * company).
     */
    waitingFor: z.array(z.string()),
  }),
};

export type Kind = keyof typeof schemas;
/** The entry type of each kind. */
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

/** The characters that `encodeURIComponent` does not encode. */
const UNRESERVED = /^[A-Za-z0-9_.!~*'()-]*$/;

/** Returns the id of an entry: its identifiers, parent first, percent-encoded and joined by `/`. */
export function entryId(...identifiers: readonly string[]): string {
  const [only] = identifiers;
  // Nearly all ids need no encoding, and a map finds the same string faster than a copy.
  if (only !== undefined && identifiers.length === 1 && UNRESERVED.test(only)) return only;
  return identifiers.map((identifier) => encodeURIComponent(identifier.toWellFormed())).join('/');
}

/** A published record of the topic `directory`. */
export interface DirectoryRecord {
  /** `kind:id` */
  key: string;
  /** The entry as JSON; null is a tombstone. */
  value: string | null;
}

/** Returns the record of a new or changed entry. Changes of one entry must be published in order. */
export function directoryRecord<K extends Kind>(kind: K, entry: Entries[K]): DirectoryRecord {
  return {
    key: `${kind}:${entryId(...names[kind](entry))}`,
    value: JSON.stringify(entrySchemas[kind].parse(entry)),
  };
}

/** Returns the tombstone of an entry. `identifiers` are the parent's, if there is a parent, and the entry's own. */
export function directoryTombstone(kind: Kind, ...identifiers: readonly string[]): DirectoryRecord {
  return { key: `${kind}:${entryId(...identifiers)}`, value: null };
}

const REVISION_HEADER = 'revision';

/**
 * Returns the record for a topic with the given number of partitions. `revision` must increase with each change of
 * the entry: readers skip records that are not newer than their own.
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

/** Parses the JSON of an entry. Throws if it is invalid. */
export function parseEntry<K extends Kind>(kind: K, value: string): Entries[K] {
  return entrySchemas[kind].parse(JSON.parse(value));
}

/** A record that this replica cannot read. The message contains the reason. */
export class UnreadableRecord extends Error {}

export interface EntryKey {
  kind: Kind;
  id: string;
}

/** Printable ASCII, because ids are percent-encoded. */
const RECORD_KEY = /^([a-z]+):([\x21-\x7e]{1,5000})$/;

/** Splits `kind:id`. Returns undefined if the key has another format. */
export function findKey(key: string | null): EntryKey | undefined {
  const [, kind, id] = RECORD_KEY.exec(key ?? '') ?? [];
  const known = knownKinds.safeParse(kind);
  return known.success && id !== undefined ? { kind: known.data, id } : undefined;
}

/** One revision of an entry: its JSON as published, or null if it was removed. */
export interface Change extends EntryKey {
  value: string | null;
  revision: bigint;
}

/** Returns the change in a record. Throws `UnreadableRecord`. */
export function parseRecord(record: Pick<OutgoingRecord, 'key' | 'value' | 'headers'>): Change {
  const { key, headers } = record;
  const value = record.value === null ? null : record.value.toString('utf8');
  const named = findKey(key);
  if (named === undefined) {
    throw new UnreadableRecord(`key: not one of ${knownKinds.options.join(', ')}, then ":" and an id`);
  }
  const { kind, id } = named;
  if (value !== null && idOf(kind, value) !== id) {
    throw new UnreadableRecord(`value: names another ${kind} than the key`);
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
