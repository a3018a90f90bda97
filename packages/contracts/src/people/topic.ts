import { z } from '@hono/zod-openapi';

/**
 * The compacted topic on which flags publishes the distinct ids that are joined to another one. It has one partition,
 * so its records are in order.
 */
export const PEOPLE_TOPIC = 'people';

const id = z.string().min(1);

/** The maximum number of distinct ids of a person. */
export const PERSON_IDS_MAX_COUNT = 1_000;

/** The origin of a join: an identify call, or a colleague. */
export const joinedBy = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('identify') }),
  z.object({
    kind: z.literal('colleague'),
    sub: id.nullable().meta({ description: 'null if the colleague was erased.' }),
  }),
]);
export type JoinedBy = z.infer<typeof joinedBy>;

/**
 * The JSON value of a record on `people`: the person of a distinct id. A person is named by one of their distinct ids,
 * which has no record. A record without a value parts the distinct id.
 */
export const personRecord = z.object({
  projectId: id,
  distinctId: id,
  personId: id.meta({ description: 'The distinct id that names the person.' }),
  joinedAt: z.iso.datetime(),
  by: joinedBy,
});
export type PersonRecord = z.infer<typeof personRecord>;

const keyParts = z.tuple([id, id]);

/** Returns the key of a distinct id's record. */
export function personKey(projectId: string, distinctId: string): string {
  return JSON.stringify([projectId, distinctId]);
}

/** Parses the key of a record. Returns undefined for any other key. */
export function parsePersonKey(key: string): { projectId: string; distinctId: string } | undefined {
  try {
    const [projectId, distinctId] = keyParts.parse(JSON.parse(key));
    return { projectId, distinctId };
  } catch {
    return undefined;
  }
}
