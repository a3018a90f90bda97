import { type Fields, known, type Lose, type WireItem, without } from '@switchboard/other-products';

/** Traits that our own calls give a meaning. */
const RESERVED = ['distinct_id', 'anonymous_id', 'group_id', 'group_type'];

interface EventCall {
  distinctId: string;
  eventId: string;
  name: string;
  timestamp: string;
  sessionId?: string | undefined;
  properties: Fields;
  context?: Fields;
}

/** Returns an event as a call of our API. */
export function eventItem({ distinctId, eventId, name, timestamp, sessionId, ...more }: EventCall): WireItem {
  const { properties, context = {} } = more;
  return {
    kind: 'event',
    call: known({
      distinct_id: distinctId,
      event_id: eventId,
      event_name: name,
      schema_version: 1,
      timestamp,
      session_id: sessionId,
      properties,
      context: Object.keys(context).length > 0 ? context : undefined,
    }),
  };
}

interface IdentifyCall {
  distinctId: string;
  timestamp: string;
  traits?: Fields;
  /** The id that joins the person. */
  anonymousId?: string | undefined;
}

/** Returns the traits of a person, or a join, as a call of our API. */
export function identifyItem(
  { distinctId, timestamp, traits = {}, anonymousId }: IdentifyCall,
  lose: Lose,
): WireItem {
  for (const name of RESERVED) if (traits[name] !== undefined) lose(`trait ${name}`);
  return {
    kind: 'identify',
    call: {
      distinct_id: distinctId,
      timestamp,
      properties: known({ ...without(traits, ...RESERVED), anonymous_id: anonymousId }),
    },
  };
}
