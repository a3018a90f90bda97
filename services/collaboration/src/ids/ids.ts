import { randomUUIDv7 } from 'node:crypto';

type Prefix = 'ann' | 'thr' | 'cmt' | 'run' | 'shr' | 'dlv' | 'sml' | 'chn';

/** Returns a prefix followed by a UUIDv7 in hex. */
export function newId(prefix: Prefix): string {
  return `${prefix}_${randomUUIDv7().replaceAll('-', '')}`;
}
