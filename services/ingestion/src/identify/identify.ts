import {
  distinctIdOf,
  type GroupCall,
  type GroupRecord,
  type IdentifyCall,
  type IdentifyRecord,
  ingestionTopics,
  stateToken,
  TRAITS_MAX_BYTES,
} from '@switchboard/contracts';
import { partitionFor } from '@switchboard/event-log';
import { fairnessKeyOfProject, PayloadTooLarge } from '@switchboard/http';
import type { Publishing } from '../records/publishing.ts';
import { exceedsBytes, serialise } from '../records/serialise.ts';
import { utcTime } from '../records/times.ts';

const DEFAULT_GROUP_TYPE = 'company';

export interface Identify {
  /**
   * Resolves with the call's state token once the event log has stored it. Drops the anonymous id unless `isJoining`.
   * With `isOnce`, traits that the person has stay.
   */
  identify(projectId: string, call: IdentifyCall, isJoining: boolean, isOnce?: boolean): Promise<string>;
  /** Resolves like `identify`. */
  group(projectId: string, call: GroupCall): Promise<string>;
}

/** Publishes identify and group calls, one record each, to the person's partition. */
export function createIdentify({ log, clock }: Publishing): Identify {
  async function publish(topic: string, record: IdentifyRecord | GroupRecord): Promise<string> {
    const traits = serialise(record.traits, () => 'properties');
    if (exceedsBytes(traits, TRAITS_MAX_BYTES)) {
      throw new PayloadTooLarge(`properties: larger than ${TRAITS_MAX_BYTES} bytes as JSON`);
    }
    const json = JSON.stringify(record);
    const key = `${record.project_id}:${record.distinct_id}`;
    const headers = { project: record.project_id, received_at: record.received_at };
    const partition = partitionFor(key, await log.partitions(topic));
    const records = [{ partition, key, value: Buffer.from(json), headers }];
    const published = await log.publish(topic, records, fairnessKeyOfProject(record.project_id));
    return stateToken({ topic, partition, offset: Number(published.offsetOf(0)) });
  }

  function common(projectId: string, call: IdentifyCall | GroupCall) {
    const receivedAt = clock.now().toISOString();
    return {
      project_id: projectId,
      distinct_id: distinctIdOf(call),
      ...(call.event_id ? { event_id: call.event_id } : {}),
      timestamp: utcTime(call.timestamp ?? receivedAt),
      received_at: receivedAt,
    };
  }

  return {
    async identify(projectId, call, isJoining, isOnce = false) {
      const { distinct_id: _, anonymous_id, ...traits } = call.properties ?? {};
      const record = common(projectId, call);
      const isOther = anonymous_id !== record.distinct_id;
      const joins = anonymous_id && isOther && isJoining ? { anonymous_id } : {};
      return publish(ingestionTopics.identifies, {
        ...record,
        ...joins,
        traits,
        ...(isOnce && { once: true }),
      });
    },

    async group(projectId, call) {
      const { distinct_id: _, group_id, group_type, ...traits } = call.properties;
      return publish(ingestionTopics.groups, {
        ...common(projectId, call),
        group_type: group_type ?? DEFAULT_GROUP_TYPE,
        group_id,
        traits,
      });
    },
  };
}
