import { BadRequest } from '@switchboard/service-kit';

const MAX_BYTES = 300_000;

/** The JSON that entitlements are stored as. Throws BadRequest when it would not fit an event log record. */
export function serializeEntitlements(entitlements: Record<string, unknown>): string {
  const json = JSON.stringify(entitlements);
  if (Buffer.byteLength(json) > MAX_BYTES) {
    throw new BadRequest(`entitlements: larger than ${MAX_BYTES} bytes of JSON`);
  }
  return json;
}
