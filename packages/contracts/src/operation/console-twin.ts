import type { Operation } from './operation.ts';
import { permissionGrants } from './permissions.ts';

const MANAGEMENT_PREFIX = '/management/v1/';
const CONSOLE_PREFIX = '/v1/';

/**
 * Returns the twin of a management operation on the API host, for the console: same handler, without `/management` in
 * its path. Undefined if no role has its permission.
 */
export function twinOf(operation: Operation): Operation | undefined {
  const { path, permission } = operation;
  if (permission === undefined || permissionGrants[permission].role === null) return undefined;
  return {
    ...operation,
    path: path.replace(MANAGEMENT_PREFIX, CONSOLE_PREFIX),
    host: 'api',
    credential: 'console',
    tags: ['Console'],
  };
}
