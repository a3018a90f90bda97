import { BadRequest } from '../exchange/errors.ts';

/**
 * Returns an error if a request's URL is not percent-encoded UTF-8, or if a path parameter contains a NUL. Hono
 * passes on text that it cannot decode, and no database accepts a NUL. `path` is the path of the operation.
 */
export function textFault(url: string, path: string): BadRequest | undefined {
  if (!url.includes('%')) return undefined;
  try {
    requireText(url, path);
    return undefined;
  } catch (error) {
    if (error instanceof BadRequest) return error;
    throw error;
  }
}

function requireText(url: string, path: string): void {
  const { pathname, search } = new URL(url);
  const names = path.split('/');
  for (const [index, segment] of pathname.split('/').entries()) {
    const name = names[index]?.replaceAll(/[{}]/g, '') || 'path';
    if (decode(segment, name).includes('\0')) throw new BadRequest(`${name}: contains a NUL character`);
  }
  for (const pair of search.slice(1).split('&')) {
    const [name = ''] = pair.split('=');
    decode(pair, decode(name, 'query'));
  }
}

function decode(encoded: string, name: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    throw new BadRequest(`${name}: not percent-encoded UTF-8`);
  }
}
