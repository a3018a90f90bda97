import { type OutgoingRecord, partitionFor, type TopicSpec } from '@switchboard/event-log';
import { z } from 'zod';

/** The topic on which services report when a personal access token or service token was used. */
export const TOKEN_USES_TOPIC = 'token-uses';

const RETENTION_MS = 24 * 3_600_000;
/** The topic carries little load: one record per minute for each token in use and process. */
const PARTITIONS = 1;

/** Returns the spec of the topic. A lost report is made up for by the next use. */
export function tokenUsesSpec(replication: number): TopicSpec {
  return {
    name: TOKEN_USES_TOPIC,
    partitions: PARTITIONS,
    replication,
    cleanup: 'delete',
    retentionMs: RETENTION_MS,
  };
}

const schema = z.object({ tokenId: z.string(), at: z.iso.datetime() });

/** A report that a token was used at a time. It may have been used before, too. */
export type TokenUse = z.infer<typeof schema>;

export function tokenUseRecord(use: TokenUse): OutgoingRecord {
  return {
    partition: partitionFor(use.tokenId, PARTITIONS),
    key: use.tokenId,
    value: Buffer.from(JSON.stringify(use)),
    headers: {},
  };
}

/** Returns undefined if the record is not a report of a token use. */
export function parseTokenUse({ value }: Pick<OutgoingRecord, 'value'>): TokenUse | undefined {
  try {
    return schema.safeParse(JSON.parse(value?.toString('utf8') ?? '')).data;
  } catch {
    return undefined;
  }
}
