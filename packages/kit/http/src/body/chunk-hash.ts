import { createHash } from 'node:crypto';
import { turnOfLoop } from '@switchboard/resilience';

const LENGTH = 32;

/**
 * Returns the first 32 hexadecimal digits of the SHA-256 of a replay chunk's parts. Ingestion sends it with each
 * part, and the archive compares it. Hashing the largest chunk takes tens of milliseconds, so each part takes a turn
 * of its holder.
 */
export async function chunkHash(parts: readonly Buffer[], holder: string): Promise<string> {
  const hash = createHash('sha256');
  for (const part of parts) {
    if (parts.length > 1) await turnOfLoop(holder);
    hash.update(part);
  }
  return hash.digest('hex').slice(0, LENGTH);
}
