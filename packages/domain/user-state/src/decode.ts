import { groupRecord, identifyRecord, ingestionTopics } from '@switchboard/contracts';
import type { StoredRecord } from '@switchboard/event-log';
import type { z } from 'zod';
import type { Stamp } from './merge.ts';

export interface Identify {
  projectId: string;
  distinctId: string;
  traits: Record<string, unknown>;
  /** The id that the visitor had before, of an identify call. */
  anonymousId?: string | undefined;
  stamp: Stamp;
}

export interface GroupChange extends Identify {
  type: string;
  /** Null if the person leaves the group of this type. */
  groupId: string | null;
}

export type StateChange = ({ kind: 'identify' } & Identify) | ({ kind: 'group' } & GroupChange);

/** More than twice the size of any call. Parsing this many brackets takes tens of milliseconds. */
const MAX_BYTES = 262_144;

/** An invalid record. The message contains the reason. */
export class InvalidRecord extends Error {
  override name = 'InvalidRecord';
}

/** Decodes a record of `identifies` or `groups`. Throws InvalidRecord. */
export function decodeRecord(record: StoredRecord): StateChange {
  const json = parseJson(record);
  if (record.topic === ingestionTopics.identifies) {
    const call = parse(identifyRecord, json);
    const change = toIdentify(call, record);
    const stamp = call.once === true ? onceStamp(change.stamp) : change.stamp;
    return { kind: 'identify', ...change, stamp, anonymousId: call.anonymous_id };
  }
  const call = parse(groupRecord, json);
  return { kind: 'group', ...toIdentify(call, record), type: call.group_type, groupId: call.group_id };
}

interface Call {
  project_id: string;
  distinct_id: string;
  traits: Record<string, unknown>;
  timestamp: string;
  received_at: string;
}

function toIdentify(call: Call, { offset }: StoredRecord): Identify {
  return {
    projectId: call.project_id,
    distinctId: call.distinct_id,
    traits: call.traits,
    stamp: [Date.parse(call.timestamp), Date.parse(call.received_at), Number(offset)],
  };
}

/** Returns a stamp before that of any other change. Of two, the earlier call has the newer stamp, so its value stays. */
const onceStamp = ([timestamp, receivedAt, offset]: Stamp): Stamp => [-timestamp, receivedAt, offset];

function parseJson({ value }: StoredRecord): unknown {
  if (value === null) throw new InvalidRecord('no value');
  if (value.length > MAX_BYTES) throw new InvalidRecord(`larger than ${MAX_BYTES} bytes`);
  try {
    return JSON.parse(value.toString('utf8'));
  } catch {
    throw new InvalidRecord('not valid JSON');
  }
}

function parse<S extends z.ZodType>(schema: S, json: unknown): z.output<S> {
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new InvalidRecord(`${issue?.path.join('.') || 'record'}: ${issue?.message ?? 'not valid'}`);
}
