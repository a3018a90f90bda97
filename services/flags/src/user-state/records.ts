import { groupRecord, identifyRecord, ingestionTopics } from '@switchboard/contracts';
import type { StoredRecord } from '@switchboard/event-log';
import type { z } from 'zod';
import type { Stamp } from './merge.ts';

export interface Identify {
  projectId: string;
  distinctId: string;
  traits: Record<string, unknown>;
  stamp: Stamp;
}

export interface GroupChange extends Identify {
  type: string;
  /** null: the person leaves the group of this type. */
  groupId: string | null;
}

/** What a record says; throws UnreadableRecord, whose message says why it cannot be read. */
export type StateChange = ({ kind: 'identify' } & Identify) | ({ kind: 'group' } & GroupChange);

export class UnreadableRecord extends Error {
  override name = 'UnreadableRecord';
}

/** Reads a record of `identifies` or `groups`. Throws UnreadableRecord. */
export function readRecord(record: StoredRecord): StateChange {
  const json = parseJson(record);
  if (record.topic === ingestionTopics.identifies) {
    const call = parse(identifyRecord, json);
    return { kind: 'identify', ...common(call, record) };
  }
  const call = parse(groupRecord, json);
  return { kind: 'group', ...common(call, record), type: call.group_type, groupId: call.group_id };
}

interface Call {
  project_id: string;
  distinct_id: string;
  traits: Record<string, unknown>;
  timestamp: string;
  received_at: string;
}

function common(call: Call, { offset }: StoredRecord): Identify {
  return {
    projectId: call.project_id,
    distinctId: call.distinct_id,
    traits: call.traits,
    stamp: [Date.parse(call.timestamp), Date.parse(call.received_at), Number(offset)],
  };
}

function parseJson({ value }: StoredRecord): unknown {
  if (value === null) throw new UnreadableRecord('no value');
  try {
    return JSON.parse(value.toString('utf8'));
  } catch {
    throw new UnreadableRecord('not valid JSON');
  }
}

function parse<S extends z.ZodType>(schema: S, json: unknown): z.output<S> {
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new UnreadableRecord(`${issue?.path.join('.') || 'record'}: ${issue?.message ?? 'not valid'}`);
}
