import { createHash } from 'node:crypto';
import { yieldToLoop } from '@switchboard/fairness';

const LENGTH = 32;

/**
 * Returns the first 32 hexadecimal digits of the SHA-256 of a replay chunk's parts. Ingestion sends it with each
 * part, and the archive compares it. Hashing the largest chunk takes tens of milliseconds, so it yields before each
 * part.
 */
export async function chunkHash(parts: readonly Buffer[], fairnessKey: string): Promise<string> {
  const hash = createHash('sha256');
  for (const part of parts) {
    if (parts.length > 1) await yieldToLoop(fairnessKey);
    hash.update(part);
  }
  return hash.digest('hex').slice(0, LENGTH);
}
