import { BadRequest } from '@switchboard/http';

const MAX_BYTES = 300_000;

/** Returns the stored JSON of entitlements. Throws BadRequest when it would not fit into an event log record. */
export function serializeEntitlements(entitlements: Record<string, unknown>): string {
  const json = JSON.stringify(entitlements);
  if (Buffer.byteLength(json) > MAX_BYTES) {
    throw new BadRequest(`entitlements: larger than ${MAX_BYTES} bytes of JSON`);
  }
  return json;
}
