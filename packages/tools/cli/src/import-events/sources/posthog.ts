import { type Fields, fieldsOf, fromPostHog } from '@switchboard/other-products';
import { Refused, requireTime } from '../../imports/refused.ts';
import { readJsonLines, type Source } from './source.ts';

/** Reads batch exports as JSON lines: https://posthog.com/docs/data-pipelines/batch-exports/s3. */
export const posthog: Source = {
  read: readJsonLines,
  convert(record, { eventId, lose }) {
    if (typeof record['event'] !== 'string') throw new Refused('event: not a text');
    const timestamp = requireTime(record['timestamp'], 'timestamp');
    const { set, set_once, person_properties: person } = record;
    const properties = jsonOf(record['properties']) ?? {};
    const message = {
      ...record,
      $set: { ...ownOf(jsonOf(person)), ...fieldsOf(properties['$set']), ...jsonOf(set) },
      $set_once: jsonOf(set_once) ?? properties['$set_once'],
      uuid: record['uuid'] ?? eventId,
      timestamp,
      properties,
    };
    return fromPostHog(message, new Date(timestamp), lose).filter(({ isOnce }) => {
      // An import cannot tell what a person had at the time.
      if (isOnce) lose('$set_once');
      return !isOnce;
    });
  },
};

/** Returns the traits without those that PostHog sets, which differ with every page. */
function ownOf(traits: Fields = {}): Fields {
  return Object.fromEntries(Object.entries(traits).filter(([name]) => !name.startsWith('$')));
}

/** Some destinations store objects as JSON text. */
function jsonOf(value: unknown): Fields | undefined {
  if (typeof value !== 'string') return value === undefined || value === null ? undefined : fieldsOf(value);
  try {
    return fieldsOf(JSON.parse(value));
  } catch {
    throw new Refused('properties, person_properties, set or set_once: not JSON');
  }
}
