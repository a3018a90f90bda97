import type { Sent } from '@switchboard/http';
import type { EventLines } from './event-lines.ts';

const SDK = /"sdk":"([^"\\]{1,60})"(?:,"sdk_version":"([^"\\]{1,60})")?/;
/** The context is short, and SDKs write it last. */
const MAX_SEARCHED = 1_000;

/**
 * Returns the number of events of a batch, and the SDK in the context of the first one. It is searched in the text,
 * because parsing takes longer. A property of the same name may be taken for it.
 */
export function sentBy({ lines }: EventLines): Sent {
  const [first] = lines;
  if (first === undefined) return { events: 0 };
  const { bytes, start, end } = first;
  const found = SDK.exec(bytes.toString('latin1', Math.max(start, end - MAX_SEARCHED), end));
  return { events: lines.length, sdk: found?.[1], version: found?.[2] };
}
