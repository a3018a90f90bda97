import { randomUUID } from 'node:crypto';
import { type Fields, fieldsOf, known, textOf, timeOf, without } from '../fields.ts';
import type { Lose, WireItem } from '../item.ts';
import { PAGE_VIEWED, pageOf } from '../page-views.ts';
import { contextOf } from './context.ts';

/** The calls that stand alone in a request, with the short names that Analytics.js uses. */
const CALLS: Readonly<Record<string, string>> = {
  t: 'track',
  i: 'identify',
  p: 'page',
  s: 'screen',
  g: 'group',
  a: 'alias',
};

/** The name of a call with several messages, and its short name. */
export const isBatch = (call: string) => call === 'batch' || call === 'b';

/** Returns the type of the messages of a call; undefined if there is no such call. */
export const typeOf = (call: string): string | undefined =>
  CALLS[call] ?? Object.values(CALLS).find((type) => type === call);

/** Traits that our own calls give a meaning. */
const RESERVED = ['distinct_id', 'anonymous_id', 'group_id', 'group_type'];

/**
 * Returns a Segment message as calls of our API: https://segment.com/docs/connections/spec. `type` is the type of a
 * message that does not name its own, and `now` the time of one without a time.
 */
export function convert(
  message: Fields,
  { type, now }: { type?: string; now: string },
  lose: Lose,
): WireItem[] {
  const userId = textOf(message['userId']);
  const anonymousId = textOf(message['anonymousId']);
  const mapped = fieldsOf(message['context']);
  const timestamp = timeOf(message['timestamp']) ?? timeOf(message['originalTimestamp']);
  if (timestamp === undefined && message['timestamp'] !== undefined) lose('timestamp');
  const call = {
    distinct_id: userId ?? anonymousId,
    event_id: textOf(message['messageId']) ?? randomUUID(),
    timestamp: timestamp ?? now,
  };
  switch (textOf(message['type']) ?? type) {
    case 'track':
      return [eventOf(textOf(message['event']), fieldsOf(message['properties']))];
    case 'page':
    case 'screen':
      return [eventOf(PAGE_VIEWED, viewOf(message, lose))];
    case 'identify':
      return identifyOf();
    case 'group':
      return [groupOf()];
    case 'alias':
      return aliasOf();
    default:
      lose('a message of an unknown type');
      return [];
  }

  function eventOf(event_name: string | undefined, own: Fields): WireItem {
    const { session_id, context, properties } = contextOf(mapped, lose);
    return {
      kind: 'event',
      call: known({
        ...call,
        event_name,
        schema_version: 1,
        session_id,
        properties: { ...properties, ...own },
        context,
      }),
    };
  }

  function identifyOf(): WireItem[] {
    const traits = traitsOf({ ...fieldsOf(mapped['traits']), ...fieldsOf(message['traits']) });
    if (userId === undefined) {
      // An identify call would make the visitor's id a known one, which no later call could join to a person.
      if (Object.keys(traits).length > 0) lose('traits of a visitor without userId');
      return [];
    }
    const anonymous = anonymousId === undefined ? {} : { anonymous_id: anonymousId };
    return [{ kind: 'identify', call: { ...call, properties: { ...traits, ...anonymous } } }];
  }

  function groupOf(): WireItem {
    const group_id = textOf(message['groupId']);
    const properties = known({ ...traitsOf(fieldsOf(message['traits'])), group_id });
    return { kind: 'group', call: { ...call, properties } };
  }

  function aliasOf(): WireItem[] {
    const properties = known({ anonymous_id: textOf(message['previousId']) });
    return [{ kind: 'identify', call: { ...call, distinct_id: userId, properties } }];
  }

  function traitsOf(traits: Fields): Fields {
    for (const name of RESERVED) if (traits[name] !== undefined) lose(`traits.${name}`);
    return without(traits, ...RESERVED);
  }
}

/** Properties of a page that `pageOf` maps. The query of a URL may contain personal data. */
const PAGE = ['url', 'path', 'title', 'referrer', 'search'];

/** Returns the properties of a page view. The names of pages and screens are properties of their own. */
function viewOf(message: Fields, lose: Lose): Fields {
  const properties = fieldsOf(message['properties']);
  if (textOf(properties['search']) !== undefined) lose('properties.search');
  return known({
    ...without(properties, ...PAGE),
    name: textOf(message['name']) ?? properties['name'],
    category: textOf(message['category']) ?? properties['category'],
    ...pageOf(properties),
  });
}
