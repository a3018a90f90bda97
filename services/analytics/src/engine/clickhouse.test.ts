import type { ClickHouseClient } from '@clickhouse/client';
import { clickHouseDatabase } from '@switchboard/testkit';
import { afterAll, expect, test } from 'vitest';
import { openClickHouse } from '../clickhouse/client.ts';
import { createClickHouseEngine } from './clickhouse.ts';
import { EngineBusy, QueryTimeout, QueryTooLarge } from './engine.ts';
import { integers, number, numbers, sql, text, texts } from './sql.ts';

const database = await clickHouseDatabase();
const client = openClickHouse(database?.url ?? 'http://127.0.0.1:9/none');
afterAll(async () => {
  await client.close();
  await database?.drop();
});

const engineOf = (more: { client?: ClickHouseClient; memoryBytes?: number } = {}) =>
  createClickHouseEngine({ client, threads: 1, memoryBytes: 300_000_000, timeoutMs: 2000, ...more });
const endless = sql`select sum(sipHash64(number)) from numbers(100000000000)`;

test.skipIf(database === undefined)('returns values as they are stored', async () => {
  const hostile = ["a'; drop table events --", '\\\n\t\0', '{p0:String}', 'é👩‍🚀', ''];
  const values = [0.1, 1e21, 1e-7, 2 ** 53 + 2, Number.MAX_VALUE, 5e-324, 0.30000000000000004];
  const [row] = await engineOf().query(sql`
    select ${text(hostile.join(''))} as one, ${texts(hostile)} as some, ${numbers(values)} as numbers,
      ${number(-1.5)} as number`);
  expect(row).toEqual({ one: hostile.join(''), some: hostile, numbers: values, number: -1.5 });
});

test.skipIf(database === undefined)('ends a query at the limits of time, memory and rows', async () => {
  await expect(engineOf().query(endless)).rejects.toThrow(QueryTimeout);
  await expect(engineOf().query(endless, AbortSignal.timeout(100))).rejects.toThrow(QueryTimeout);
  const many = sql`select length(groupArray(number)) from numbers(10000000)`;
  await expect(engineOf({ memoryBytes: 20_000_000 }).query(many)).rejects.toThrow(QueryTooLarge);
  await expect(engineOf().query(sql`select number from numbers(200000)`)).rejects.toThrow(QueryTooLarge);
});

test.skipIf(database === undefined)('visits people with lists of any length', async () => {
  const lengths = [0, 1, 300, 400_000, 0, 2];
  const found: unknown[] = [];
  await engineOf().eachPerson(
    sql`select concat('größe ', toString(n)) as p, range(n)::Array(Int64), arrayMap(i -> toString(i), range(least(n, 200)))
      from (select arrayJoin(${integers(lengths)}) as n)`,
    ({ person, words, label }) => {
      found.push([person(), words.length / 2, words.at(-2) ?? null, label(0), label(199)]);
    },
  );
  expect(found).toEqual(
    lengths.map((n) => [`größe ${n}`, n, n === 0 ? null : n - 1, n === 0 ? '' : '0', n < 200 ? '' : '199']),
  );
  const many = sql`select 'p', groupArray(number::Int64), []::Array(String) from numbers(10000000)`;
  const limited = engineOf({ memoryBytes: 20_000_000 }).eachPerson(many, () => undefined);
  await expect(limited).rejects.toThrow(QueryTooLarge);
});

test.skipIf(database === undefined)('keeps the values of a query out of its errors', async () => {
  const wrong = sql`select toInt64(${text('secret')})`;
  await expect(engineOf().query(wrong)).rejects.toThrow(
    /^ClickHouse rejected the request: CANNOT_PARSE_TEXT \(code 6\)$/,
  );
});

test('reports a server that cannot be reached as busy', async () => {
  const gone = openClickHouse('http://127.0.0.1:9/none');
  await expect(engineOf({ client: gone }).query(sql`select 1`)).rejects.toThrow(EngineBusy);
  await gone.close();
});
