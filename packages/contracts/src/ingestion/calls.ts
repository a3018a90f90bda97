import { z } from '@hono/zod-openapi';
import { anyJson, id, refuseJsonFault, timestamp } from '../fields.ts';
import { apiKey } from './api-key.ts';

/** Traits of a person; `distinct_id` names the person where the call's top does not. */
const identifyProperties = z
  .object({ distinct_id: id.nullable().optional() })
  .catchall(anyJson)
  .check(refuseJsonFault);

/** The group, and its traits under every other name. */
const groupProperties = z
  .object({
    distinct_id: id.nullable().optional(),
    group_id: id.nullable().openapi({ description: 'null leaves the group of this type.' }),
    group_type: id.nullable().optional().openapi({ description: 'company, when absent.' }),
  })
  .catchall(anyJson)
  .check(refuseJsonFault);

const callFields = {
  api_key: apiKey,
  distinct_id: id.nullable().optional(),
  event_id: id.nullable().optional(),
  timestamp: timestamp.nullable().optional().openapi({ description: 'The arrival, when absent.' }),
};

const personNamed = {
  path: ['distinct_id'],
  message: 'required, here or as properties.distinct_id',
};

export const identifyCall = z
  .object({ ...callFields, properties: identifyProperties.nullable().optional() })
  .refine((call) => distinctIdOf(call) !== '', personNamed)
  .openapi('IdentifyCall');
export type IdentifyCall = z.infer<typeof identifyCall>;

export const groupCall = z
  .object({ ...callFields, properties: groupProperties })
  .refine((call) => distinctIdOf(call) !== '', personNamed)
  .openapi('GroupCall');
export type GroupCall = z.infer<typeof groupCall>;

/** The person a checked identify or group call is about: the one at the top, else the one in the properties. */
export function distinctIdOf(call: {
  distinct_id?: string | null | undefined;
  properties?: { distinct_id?: string | null | undefined } | null | undefined;
}): string {
  return call.distinct_id ?? call.properties?.distinct_id ?? '';
}
