import { BadRequest } from '@switchboard/service-kit';

const mostBytes = 300_000;

/** Entitlements as they are stored. Throws BadRequest when they would not fit a record of the event log. */
export function entitlementsJson(entitlements: Record<string, unknown>): string {
  const json = JSON.stringify(entitlements);
  if (Buffer.byteLength(json) > mostBytes) {
    throw new BadRequest(`entitlements: more than ${mostBytes} bytes of JSON`);
  }
  return json;
}
