import type { Client } from '@switchboard/management';
import { isRecord } from './manifest/compare.ts';
import type { Kind } from './manifest/kinds.ts';

/** Reads a list to its end. */
export async function collect<T>(entries: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const entry of entries) all.push(entry);
  return all;
}

/** Lists every resource of a kind. */
export function listAll(
  client: Client,
  { operation }: NonNullable<Kind['list']>,
  params: Record<string, string> = {},
): Promise<unknown[]> {
  return collect(client.untyped.list(operation, { params }));
}

/** Like listAll, for lists of objects. */
export async function listObjects(
  client: Client,
  list: NonNullable<Kind['list']>,
  params?: Record<string, string>,
): Promise<Record<string, unknown>[]> {
  return (await listAll(client, list, params)).filter(isRecord);
}
