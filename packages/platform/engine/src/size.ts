/** Estimates the bytes that JSON-like data holds in memory, from V8's 64-bit object layout. */
export function estimateSize(value: unknown): number {
  if (typeof value === 'string') return 24 + value.length;
  if (typeof value === 'number') return 8;
  if (typeof value !== 'object' || value === null) return 0;
  let bytes = 48;
  for (const inner of Object.values(value)) bytes += 8 + estimateSize(inner);
  return bytes;
}
