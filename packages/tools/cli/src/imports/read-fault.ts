import { UsageError } from '../terminal/terminal.ts';

/** Names the file in an error of reading it, such as a damaged gzip file. */
export function readFault(error: unknown, place: string): unknown {
  if (error instanceof UsageError)
    return error.message.startsWith(place) ? error : new UsageError(`${place}: ${error.message}`);
  const isOfFile =
    error instanceof Error && 'code' in error && /^(Z_|E[A-Z]+$|ERR_STREAM)/.test(String(error.code));
  return isOfFile ? new UsageError(`${place} cannot be read (${String(error.code)})`) : error;
}
