import { z } from '@hono/zod-openapi';
import { anyJson, asSent, checkJson, id, timestamp } from '../fields/fields.ts';
import { apiKey } from './api-key.ts';
import { checkTraits } from './traits.ts';

/**
 * The traits of a person. `distinct_id` is the distinct id if the call has no top-level `distinct_id`. `anonymous_id` is
 * no trait.
 */
const identifyProperties = asSent(
  z
    .object({
      distinct_id: id.nullable().optional(),
      anonymous_id: id.nullable().optional().meta({
        description:
          'The id that this visitor had until now. Its events become those of the person, unless it was identified itself or belongs to another person.',
      }),
    })
    .catchall(anyJson)
    .check(checkJson)
    .check(checkTraits),
);

/** The group. All other properties are traits of the group. */
const groupProperties = asSent(
  z
    .object({
      distinct_id: id.nullable().optional(),
      group_id: id
        .nullable()
        .meta({ description: 'The id of the group. null removes the person from the group of this type.' }),
      group_type: id.nullable().optional().meta({ description: 'The type of the group. Default: company.' }),
    })
    .catchall(anyJson)
    .check(checkJson)
    .check(checkTraits),
);

const callFields = {
  api_key: apiKey,
  distinct_id: id.nullable().optional(),
  event_id: id.nullable().optional(),
  timestamp: timestamp.nullable().optional().openapi({ description: 'Default: the time of arrival.' }),
};

const personRequired = {
  path: ['distinct_id'],
  message: 'required, here or as properties.distinct_id',
};

export const identifyCall = z
  .object({
    ...callFields,
    properties: identifyProperties
      .nullable()
      .optional()
      .openapi({ type: ['object', 'null'] }),
  })
  .refine((call) => distinctIdOf(call) !== '', personRequired)
  .openapi('IdentifyCall');
export type IdentifyCall = z.infer<typeof identifyCall>;

export const groupCall = z
  .object({ ...callFields, properties: groupProperties })
  .refine((call) => distinctIdOf(call) !== '', personRequired)
  .openapi('GroupCall');
export type GroupCall = z.infer<typeof groupCall>;

/** Returns the distinct id of a valid identify or group call: the top-level one, or else that of its properties. */
export function distinctIdOf(call: {
  distinct_id?: string | null | undefined;
  properties?: { distinct_id?: string | null | undefined } | null | undefined;
}): string {
  return call.distinct_id ?? call.properties?.distinct_id ?? '';
}
