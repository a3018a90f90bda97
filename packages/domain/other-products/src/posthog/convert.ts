import { randomUUID } from 'node:crypto';
import { type Fields, fieldsOf, known, textOf, timeOf, without } from '../fields.ts';
import type { Lose, WireItem } from '../item.ts';
import { PAGE_VIEWED } from '../page-views.ts';
import { propertiesOf, withoutQueries } from './properties.ts';

/** Traits that our own calls give a meaning. */
const RESERVED = ['distinct_id', 'anonymous_id', 'group_id', 'group_type'];
/** Events that only say something about people and groups. */
const CALLS = ['$identify', '$set', '$create_alias', '$merge_dangerously', '$groupidentify'];

/** Returns an event of PostHog as calls of our API: https://posthog.com/docs/api/capture. */
export function convert(message: Fields, now: Date, lose: Lose): WireItem[] {
  const properties = fieldsOf(message['properties']);
  const event = textOf(message['event']);
  const distinctId = textOf(message['distinct_id']) ?? textOf(properties['distinct_id']);
  const eventId = textOf(message['uuid']) ?? textOf(properties['$insert_id']) ?? randomUUID();
  const call = { distinct_id: distinctId, timestamp: timestampOf(message, now, lose) };
  if (event === '$snapshot') {
    lose('recordings');
    return [];
  }
  const items = [...setOf(), ...onceOf()];
  if (event === undefined || !CALLS.includes(event)) items.push(eventOf());
  if (event === '$groupidentify') items.push(...groupOf());
  return items;

  function eventOf(): WireItem {
    const { session_id, context, properties: mapped } = propertiesOf(properties, lose);
    const isPage = event === '$pageview' || event === '$screen';
    return {
      kind: 'event',
      call: known({
        ...call,
        event_id: eventId,
        event_name: isPage ? PAGE_VIEWED : event,
        schema_version: 1,
        session_id,
        properties: mapped,
        context,
      }),
    };
  }

  function identify(id: string, traits: Fields, isOnce: boolean): WireItem {
    return { kind: 'identify', isOnce, call: { ...call, event_id: id, properties: traits } };
  }

  function setOf(): WireItem[] {
    const traits = traitsOf(message['$set'] ?? properties['$set']);
    const previous = isJoin(event) ? textOf(properties['alias']) : textOf(properties['$anon_distinct_id']);
    const joined = isJoin(event) || event === '$identify' ? previous : undefined;
    if (joined !== undefined) return [identify(eventId, { ...traits, anonymous_id: joined }, false)];
    return event === '$identify' || hasTraits(traits) ? [identify(eventId, traits, false)] : [];
  }

  function onceOf(): WireItem[] {
    const traits = traitsOf(message['$set_once'] ?? properties['$set_once']);
    return hasTraits(traits) ? [identify(`${eventId}-once`, traits, true)] : [];
  }

  /** An identify call would make the visitor's id a known one, which no later call could join to a person. */
  function hasTraits(traits: Fields): boolean {
    if (Object.keys(traits).length === 0) return false;
    const isAnonymous =
      properties['$is_identified'] === false || properties['$process_person_profile'] === false;
    if (isAnonymous) lose('traits of an anonymous visitor');
    return !isAnonymous;
  }

  function groupOf(): WireItem[] {
    const type = textOf(properties['$group_type']);
    const group = textOf(properties['$group_key']);
    if (type === undefined || group === undefined || distinctId === `$${type}_${group}`) {
      // Our groups have the traits of the newest call of a person.
      lose('$groupidentify without a person');
      return [];
    }
    const traits = traitsOf(properties['$group_set']);
    const fields = { ...traits, group_id: group, group_type: type };
    return [{ kind: 'group', call: { ...call, event_id: eventId, properties: fields } }];
  }

  function traitsOf(value: unknown): Fields {
    const traits = fieldsOf(value);
    for (const name of RESERVED) if (traits[name] !== undefined) lose(`$set.${name}`);
    return withoutQueries(without(traits, ...RESERVED));
  }
}

const isJoin = (event: string | undefined) => event === '$create_alias' || event === '$merge_dangerously';

/** An SDK sends a time, or the milliseconds since the event. */
function timestampOf({ timestamp, offset }: Fields, now: Date, lose: Lose): string {
  const time = timeOf(timestamp);
  if (time === undefined && timestamp !== undefined && timestamp !== null) lose('timestamp');
  const age = typeof offset === 'number' && offset > 0 ? offset : 0;
  return time ?? timeOf(now.getTime() - age) ?? now.toISOString();
}
