import { DuckDBInstance } from '@duckdb/node-api';
import { documented, eventually } from '@switchboard/testkit';
import { expect, it } from 'vitest';
import { standaloneForTests } from './testing/launch.ts';

const running = standaloneForTests();

/** Runs a documented query against this home folder. */
async function run(query: string): Promise<Record<string, unknown>[]> {
  const connection = await (await DuckDBInstance.create()).connect();
  try {
    return (
      await connection.runAndReadAll(query.replaceAll('.switchboard/', `${running.home}/`))
    ).getRowObjectsJson();
  } finally {
    connection.closeSync();
  }
}

it('the two archive queries of the docs run on the demo when pasted', async () => {
  const days = documented('docs/events-and-archive.md#query-the-files', 'sql');
  const products = documented('docs/events-and-archive.md#query-the-files', 'sql', 2);
  const visits = 14 * 30;
  const counted = async (name: string) =>
    (await run(days))
      .filter((row) => row['event_name'] === name)
      .reduce((sum, row) => sum + Number(row['events']), 0);
  // Waits until all partitions have written their files, which takes seconds.
  await eventually(async () => expect(await counted('product seen')).toBe(visits), { withinMs: 60_000 });
  expect(new Set((await run(days)).map((row) => row['day'])).size).toBeGreaterThanOrEqual(14);

  const sold = await run(products);
  expect(sold.map((row) => row['product']).sort()).toEqual([
    'Down sleeping bag',
    'Enamel mug',
    'Gas stove',
    'Head torch',
    'Trail tent',
  ]);
  const orders = sold.reduce((sum, row) => sum + Number(row['orders']), 0);
  expect(orders).toBeGreaterThan(0);
  expect(orders).toBe(await counted('order placed'));
  expect(await counted('checkout begun')).toBeGreaterThan(orders);
});

it('event lookup finds an event of the demo in its file', async () => {
  const { management_url, project_id, tokens } = running.demo;
  const answer = await fetch(`${management_url}/management/v1/projects/${project_id}/events/demo-0-0`, {
    headers: { Authorization: `Bearer ${tokens.operator}` },
  });
  const { archived } = (await answer.json()) as { archived: { file: string; row: number } };
  const rows = await run(
    `SELECT event_id FROM read_parquet('.switchboard/objects/${archived.file}', file_row_number = true)
     WHERE file_row_number = ${archived.row}`,
  );
  expect(rows).toEqual([{ event_id: 'demo-0-0' }]);
});
