import { yieldToLoop } from '@switchboard/fairness';

/** The number of bytes copied in one turn: less than a millisecond, even into newly allocated memory. */
const SLICE_BYTES = 524_288;

/**
 * Joins chunks into one buffer. Large ones yield to the event loop as `fairnessKey`, since 25 MB take
 * tens of milliseconds.
 */
export async function join(chunks: readonly Buffer[], fairnessKey: string): Promise<Buffer> {
  const [only] = chunks;
  if (chunks.length === 1 && only !== undefined) return only;
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  if (length <= SLICE_BYTES) return Buffer.concat(chunks, length);
  const whole = Buffer.allocUnsafe(length);
  let at = 0;
  let turnAt = 0;
  for (const chunk of chunks) {
    if (at >= turnAt) {
      await yieldToLoop(fairnessKey);
      turnAt = at + SLICE_BYTES;
    }
    at += chunk.copy(whole, at);
  }
  return whole;
}
