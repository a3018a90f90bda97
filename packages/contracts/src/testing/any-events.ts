import fc from 'fast-check';
import type { JsonObject } from '../fields/json.ts';

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 });
const id = text.filter((value) => value.trim() !== '');

/** Arbitrary valid events, for property tests. People and event_ids repeat. */
export const anyEvents = fc.array(
  fc.record(
    {
      distinct_id: fc.constantFrom('ada', 'béa', '猫', '👩‍🚀', 'd'),
      event_id: fc.oneof(id, fc.constantFrom('a', 'b', 'c')),
      event_name: text,
      schema_version: fc.integer(),
      timestamp: fc
        .date({ noInvalidDate: true, min: new Date('1970-01-01'), max: new Date('2100-01-01') })
        .map((date) => date.toISOString()),
      session_id: fc.option(id),
      // The JSON type of fast-check is equivalent to JsonObject.
      properties: fc.dictionary(text, fc.jsonValue()) as fc.Arbitrary<JsonObject>,
    },
    { requiredKeys: ['distinct_id', 'event_id', 'event_name', 'schema_version', 'timestamp'] },
  ),
  { minLength: 1, maxLength: 60 },
);
