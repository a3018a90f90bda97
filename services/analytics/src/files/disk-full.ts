/** The disk has no space left, even without the files that nobody uses. */
export class DiskFull extends Error {
  override readonly name = 'DiskFull';
}

/** What Node and DuckDB say of a full disk. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? error.code : undefined;
  return (
    code === 'ENOSPC' ||
    code === 'EDQUOT' ||
    /No space left on device|Disk quota exceeded/.test(error.message)
  );
}
