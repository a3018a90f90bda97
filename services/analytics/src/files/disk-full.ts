/** The disk is full, even without the unused files. */
export class DiskFull extends Error {
  override readonly name = 'DiskFull';
}

/** Whether an error of Node or DuckDB reports a full disk. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? error.code : undefined;
  return (
    code === 'ENOSPC' ||
    code === 'EDQUOT' ||
    /No space left on device|Disk quota exceeded/.test(error.message)
  );
}
