import {
  type Fields,
  fieldsOf,
  known,
  PAGE_VIEWED,
  pageOf,
  textOf,
  type WireItem,
  without,
} from '@switchboard/other-products';
import { Refused, requireTime } from '../../imports/refused.ts';
import { eventItem, identifyItem } from './calls.ts';
import { readJsonLines, type Source } from './source.ts';

/** Properties with another name or place in our events, or without content. */
const MAPPED = [
  '$browser',
  '$current_url',
  '$device',
  '$device_id',
  '$import',
  '$insert_id',
  '$lib_version',
  '$mp_api_endpoint',
  '$mp_api_timestamp_ms',
  '$os',
  '$referrer',
  '$referring_domain',
  '$screen_height',
  '$screen_width',
  '$user_id',
  'current_page_title',
  'current_url_path',
  'distinct_id',
  'mp_lib',
  'mp_processing_time_ms',
  'mp_sent_by_lib_version',
  'time',
];
const PAGE_EVENT = '$mp_web_page_view';

/** Reads raw event exports: https://docs.mixpanel.com/reference/raw-event-export. */
export const mixpanel: Source = {
  read: readJsonLines,
  convert(record, { eventId, lose }) {
    const sent = fieldsOf(record['properties']);
    const name = textOf(record['event']);
    const distinctId = textOf(sent['distinct_id']);
    if (name === undefined) throw new Refused('event: not a text');
    const timestamp = requireTime(sent['time'], 'properties.time');
    const join = (id: unknown, other: unknown): WireItem[] => {
      const [person, anonymous] = [textOf(id), textOf(other)];
      if (person === undefined || anonymous === undefined || person === anonymous) return [];
      return [identifyItem({ distinctId: person, timestamp, anonymousId: anonymous }, lose)];
    };
    if (name === '$identify')
      return join(sent['$identified_id'], sent['$anon_id'] ?? sent['$anon_distinct_id']);
    if (name === '$create_alias') return join(sent['distinct_id'], sent['alias']);
    if (name === '$merge') {
      const [first, second] = Array.isArray(sent['$distinct_ids']) ? sent['$distinct_ids'] : [];
      return join(first, second);
    }
    if (distinctId === undefined) throw new Refused('properties.distinct_id: not a text');
    const [user, device] = [textOf(sent['$user_id']), textOf(sent['$device_id'])];
    return [
      // Events before the log-in have the id of the device, with this prefix.
      ...(user === undefined || device === undefined ? [] : join(user, `$device:${device}`)),
      eventItem({
        distinctId,
        eventId: textOf(sent['$insert_id']) ?? eventId,
        name: name === PAGE_EVENT ? PAGE_VIEWED : name,
        timestamp,
        properties: propertiesOf(sent),
        context: known({
          os: textOf(sent['$os']) === 'Mac OS X' ? 'macOS' : textOf(sent['$os']),
          sdk: textOf(sent['mp_lib']),
          sdk_version: textOf(sent['$lib_version']),
        }),
      }),
    ];
  },
};

function propertiesOf(sent: Fields): Fields {
  const { $screen_width: width, $screen_height: height, $current_url: url } = sent;
  return known({
    ...without(sent, ...MAPPED),
    ...pageOf({
      url,
      path: sent['current_url_path'],
      title: sent['current_page_title'],
      referrer: sent['$referrer'],
    }),
    browser: textOf(sent['$browser']),
    device: textOf(sent['$device']),
    screen: typeof width === 'number' && typeof height === 'number' ? `${width}x${height}` : undefined,
  });
}
