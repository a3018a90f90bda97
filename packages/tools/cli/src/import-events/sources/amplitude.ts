import {
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

const PAGE_EVENT = '[Amplitude] Page Viewed';
const PAGE = {
  url: '[Amplitude] Page URL',
  path: '[Amplitude] Page Path',
  title: '[Amplitude] Page Title',
};
/** Other fields of an event that are kept, under the names of ours. */
const KEPT = {
  platform: 'platform',
  country: 'country',
  region: 'region',
  city: 'city',
  app_version: 'version_name',
  device: 'device_type',
};

/** Reads the JSON lines of the Export API: https://amplitude.com/docs/apis/analytics/export. */
export const amplitude: Source = {
  read: readJsonLines,
  convert(record, { eventId, lose }) {
    const [userId, deviceId] = [textOf(record['user_id']), textOf(record['device_id'])];
    const distinctId = userId ?? deviceId;
    const name = textOf(record['event_type']);
    if (name === undefined) throw new Refused('event_type: not a text');
    if (distinctId === undefined) throw new Refused('user_id: not a text, nor is device_id');
    const timestamp = requireTime(record['event_time'], 'event_time');
    const items: WireItem[] = [];
    const traits = fieldsOf(record['user_properties']);
    // The device is an id of visitors that are not known.
    if (userId !== undefined && (deviceId !== undefined || Object.keys(traits).length > 0))
      items.push(identifyItem({ distinctId: userId, timestamp, traits, anonymousId: deviceId }, lose));
    else if (Object.keys(traits).length > 0) lose('user_properties without user_id');
    if (Object.keys(fieldsOf(record['group_properties'])).length > 0) lose('group_properties');
    if (name === '$identify' || name === '$groupidentify') return items;
    const sent = fieldsOf(record['event_properties']);
    const groups = fieldsOf(record['groups']);
    const session = record['session_id'];
    const isSession = typeof session === 'number' && session > 0;
    items.push(
      eventItem({
        distinctId,
        eventId: textOf(record['$insert_id']) ?? textOf(record['uuid']) ?? eventId,
        name: name === PAGE_EVENT ? PAGE_VIEWED : name,
        timestamp,
        // The start of the session, which only the device makes unique.
        sessionId: isSession ? `${deviceId ?? distinctId}-${session}`.slice(-200) : undefined,
        properties: known({
          ...without(sent, ...Object.values(PAGE)),
          ...pageOf({ url: sent[PAGE.url], path: sent[PAGE.path], title: sent[PAGE.title] }),
          ...Object.fromEntries(Object.entries(KEPT).map(([ours, theirs]) => [ours, textOf(record[theirs])])),
          ...(Object.keys(groups).length > 0 && { $groups: groups }),
        }),
        context: known({
          locale: textOf(record['language']),
          os: textOf(record['os_name']),
          sdk: textOf(record['library']),
        }),
      }),
    );
    return items;
  },
};
