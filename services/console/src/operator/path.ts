/** The beginning of every path of the management API. */
const MANAGEMENT = '/management/v1/';

/**
 * Returns the path of the management API that an address of the console stands for, such as
 * `/operator/catalogue/management/v1/plans`. Undefined if it is not exactly below the management API: encoded dots and
 * backslashes would lead elsewhere on servers that decode them.
 */
export function managementPath(pathname: string, service: string): string | undefined {
  const prefix = `/operator/${service}`;
  if (!pathname.startsWith(prefix + MANAGEMENT)) return undefined;
  const path = pathname.slice(prefix.length);
  let decoded: string;
  try {
    decoded = decodeURIComponent(path);
  } catch {
    return undefined;
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are refused.
  if (/[\u0000-\u001f\u007f\\]|%2e|%2f|%5c/i.test(decoded)) return undefined;
  return decoded.split('/').some((part) => part === '.' || part === '..') ? undefined : path;
}
