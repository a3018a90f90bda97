import { TABLES } from '@switchboard/e2e/retention';
import { type Deployment, SERVICES, type Service } from './deployment.ts';

export interface Table {
  service: Service;
  name: string;
  rows: number;
  /** The size, including indexes. */
  bytes: number;
}

/** Reads the row count and size of every table of every service. */
export async function readTables({ sql }: Pick<Deployment, 'sql'>): Promise<Table[]> {
  const all = SERVICES.map(async (service): Promise<Table[]> => {
    await sql(service)`analyze`;
    const rows = await sql(service)<{ name: string; rows: number; bytes: number }[]>`
      select nspname || '.' || c.relname as name, sum(greatest(leaf.reltuples, 0))::float8 as rows,
        sum(pg_total_relation_size(leaf.oid))::float8 as bytes
      from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
        cross join lateral (select c.oid as relid union select relid from pg_partition_tree(c.oid)) as part
        join pg_class as leaf on leaf.oid = part.relid
      where c.relkind in ('r', 'p') and not c.relispartition and leaf.relkind = 'r'
      group by 1`;
    return rows
      .filter(({ name }) => TABLES[service]?.[name] !== undefined)
      .map((row) => ({ ...row, service }));
  });
  return (await Promise.all(all)).flat();
}
