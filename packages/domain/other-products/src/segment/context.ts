import { type Fields, fieldsOf, known, textOf, without } from '../fields.ts';
import type { Lose } from '../item.ts';
import { pageOf } from '../page-views.ts';
import { agentOf } from '../user-agent.ts';

/** The parts of a message's context that our events have, under their names. */
interface MappedContext {
  session_id: string | undefined;
  /** The context of our event. */
  context: Fields;
  /** Properties that our browser SDK sends with page views. */
  properties: Fields;
}

const MAPPED = [
  'library',
  'locale',
  'os',
  'page',
  'campaign',
  'screen',
  'sessionId',
  'timezone',
  'userAgent',
];
/** Parts that repeat others, or that say how to send the message. */
const WITHOUT_CONTENT = ['userAgentData', 'direct', 'sessionStart', 'active'];
/** Parts that are counted by name. All others are counted together. */
const NAMED = ['app', 'device', 'groupId', 'ip', 'location', 'network', 'referrer', 'traits'];

/** Maps the context of a Segment message: https://segment.com/docs/connections/spec/common/#context. */
export function contextOf(context: Fields, lose: Lose): MappedContext {
  for (const name of Object.keys(without(context, ...MAPPED, ...WITHOUT_CONTENT)))
    lose(NAMED.includes(name) ? `context.${name}` : 'context: another field');
  const library = fieldsOf(context['library']);
  const os = fieldsOf(context['os']);
  const userAgent = textOf(context['userAgent']);
  const agent = userAgent === undefined ? undefined : agentOf(userAgent);
  return {
    session_id: textOf(context['sessionId']),
    context: known({
      locale: textOf(context['locale']),
      os: textOf(os['name']) ?? agent?.os,
      sdk: textOf(library['name']),
      sdk_version: textOf(library['version']),
    }),
    properties: known({
      ...pageOf(fieldsOf(context['page'])),
      ...(agent && { browser: agent.browser, device: agent.device }),
      screen: screenOf(fieldsOf(context['screen'])),
      time_zone: textOf(context['timezone']),
      ...campaignOf(fieldsOf(context['campaign'])),
    }),
  };
}

function screenOf({ width, height }: Fields): string | undefined {
  return typeof width === 'number' && typeof height === 'number' ? `${width}x${height}` : undefined;
}

/** Segment calls utm_campaign `name`. */
function campaignOf({ name, ...others }: Fields): Fields {
  const entries = Object.entries({ ...others, campaign: name });
  return Object.fromEntries(
    entries.flatMap(([key, value]) =>
      typeof value === 'string' && /^[a-z]{1,40}$/.test(key) ? [[`utm_${key}`, value]] : [],
    ),
  );
}
