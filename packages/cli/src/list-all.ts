import { z } from 'zod';
import type { ManagementClient } from './management-client.ts';
import { isRecord } from './manifest/compare.ts';
import type { Kind } from './manifest/kinds.ts';

const page = z.record(z.string(), z.unknown());

/** Reads every page of a list. */
export async function listAll(
  client: ManagementClient,
  list: Pick<NonNullable<Kind['list']>, 'operation'>,
  params: Record<string, string> = {},
  filters: Record<string, string> = {},
): Promise<unknown[]> {
  const found: unknown[] = [];
  let cursor: unknown;
  do {
    const query = { ...filters, ...(typeof cursor === 'string' ? { cursor } : {}) };
    const answer = page.parse(await client.call(list.operation, { params, query }));
    found.push(...(Object.values(answer).find(Array.isArray) ?? []));
    cursor = answer['nextCursor'];
  } while (typeof cursor === 'string');
  return found;
}

/** Like listAll, for lists of objects. */
export async function listObjects(
  client: ManagementClient,
  list: NonNullable<Kind['list']>,
  params?: Record<string, string>,
): Promise<Record<string, unknown>[]> {
  return (await listAll(client, list, params)).filter(isRecord);
}
