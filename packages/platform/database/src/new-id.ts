import { randomUUIDv7 } from 'node:crypto';

/**
 * Returns a new id: the prefix and a UUIDv7 in hex, such as `cnv_018f4c1e...`. Ids of one prefix sort by creation
 * time.
 */
export function newId(prefix: string): string {
  return `${prefix}_${randomUUIDv7().replaceAll('-', '')}`;
}
