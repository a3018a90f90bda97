import { type Fields, fieldsOf, known, textOf, without } from '../fields.ts';
import type { Lose } from '../item.ts';
import { addressOf, pageOf } from '../page-views.ts';
import { sessionOf } from './session.ts';

/** The parts of PostHog's properties that our events have, under their names. */
interface MappedProperties {
  session_id: string | undefined;
  context: Fields;
  properties: Fields;
}

/** Properties with another name or place in our events. */
const MAPPED = [
  '$browser',
  '$browser_language',
  '$current_url',
  '$device_type',
  '$lib',
  '$lib_version',
  '$os',
  '$pathname',
  '$referrer',
  '$screen_height',
  '$screen_width',
  '$session_id',
  '$timezone',
  '$window_id',
];
/** Properties that say how to handle an event, or repeat a part of it. */
const WITHOUT_CONTENT = [
  '$anon_distinct_id',
  '$geoip_disable',
  '$groups',
  '$host',
  '$insert_id',
  '$is_identified',
  '$is_server',
  '$process_person_profile',
  '$referring_domain',
  '$sent_at',
  '$set',
  '$set_once',
  '$time',
  'distinct_id',
  'token',
];
const NOT_KEPT = ['$ip', '$raw_user_agent', '$elements', '$elements_chain'];

/** Maps the properties of an event. Properties of the caller, and others of PostHog, stay as they are. */
export function propertiesOf(sent: Fields, lose: Lose): MappedProperties {
  for (const name of NOT_KEPT) if (textOf(sent[name]) !== undefined) lose(name);
  const { $screen_width: width, $screen_height: height } = sent;
  const groups = fieldsOf(sent['$groups']);
  return {
    session_id: sessionOf(sent),
    context: known({
      locale: textOf(sent['$browser_language']),
      os: systemOf(textOf(sent['$os'])),
      sdk: textOf(sent['$lib']),
      sdk_version: textOf(sent['$lib_version']),
    }),
    properties: known({
      ...pageOf({ url: sent['$current_url'], path: sent['$pathname'], referrer: sent['$referrer'] }),
      browser: textOf(sent['$browser']),
      device: textOf(sent['$device_type'])?.toLowerCase(),
      screen: typeof width === 'number' && typeof height === 'number' ? `${width}x${height}` : undefined,
      time_zone: textOf(sent['$timezone']),
      ...(Object.keys(groups).length > 0 && { $groups: groups }),
      ...withoutQueries(without(sent, ...MAPPED, ...WITHOUT_CONTENT, ...NOT_KEPT)),
    }),
  };
}

/** Removes the query and fragment of URLs that the SDK adds, which may contain personal data. */
export function withoutQueries(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      const isUrl = name.startsWith('$') && typeof value === 'string' && /^https?:/.test(value);
      return [name, isUrl ? (addressOf(value) ?? '') : value];
    }),
  );
}

const systemOf = (os: string | undefined) => (os === 'Mac OS X' ? 'macOS' : os);
