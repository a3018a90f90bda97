import fc from 'fast-check';
import type { JsonObject } from '../fields/json.ts';

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 });
/** Any events that a batch may hold, for property tests; people and event_ids come more than once. */
export const anyEvents = fc.array(
  fc.record(
    {
      distinct_id: fc.constantFrom('ada', 'béa', '猫', '👩‍🚀', 'd'),
      event_id: fc.oneof(text, fc.constantFrom('a', 'b', 'c')),
      event_name: text,
      schema_version: fc.integer(),
      timestamp: fc
        .date({ noInvalidDate: true, min: new Date('1970-01-01'), max: new Date('2100-01-01') })
        .map((date) => date.toISOString()),
      session_id: fc.option(text),
      // fast-check's own type of JSON says the same as ours in other words.
      properties: fc.dictionary(text, fc.jsonValue()) as fc.Arbitrary<JsonObject>,
    },
    { requiredKeys: ['distinct_id', 'event_id', 'event_name', 'schema_version', 'timestamp'] },
  ),
  { minLength: 1, maxLength: 60 },
);
