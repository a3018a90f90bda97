import { AsyncLocalStorage } from 'node:async_hooks';
import {
  eventually,
  freePort,
  type PostgresServer,
  postgresServer,
  testDatabase,
} from '@switchboard/testkit';
import { sql } from 'drizzle-orm';
import { integer, pgTable } from 'drizzle-orm/pg-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, test } from 'vitest';
import {
  type Database,
  type DatabaseOptions,
  inTransaction,
  isUnavailable,
  openDatabase,
  ReadOnlyDatabase,
} from './index.ts';

let url = '';
let drop = async () => {};
beforeAll(async () => ({ url, drop } = await testDatabase()));
afterAll(() => drop());

function open(options: Partial<DatabaseOptions> = {}): Database {
  const database = openDatabase({ url, applicationName: 'test', ...options });
  onTestFinished(() => database.close());
  return database;
}

/** Settles the promise at once, so that one that is awaited later is never unhandled. */
const outcome = (promise: PromiseLike<unknown>) =>
  Promise.resolve(promise).then(
    () => 'answered',
    (error: unknown) => (isUnavailable(error) ? 'unavailable' : error),
  );

it('distinguishes a read-only server from one that is unavailable', async () => {
  const database = open({ url: `${url}?default_transaction_read_only=on` });
  await expect(database.ping()).rejects.toThrow(ReadOnlyDatabase);
});

describe('the types of columns', () => {
  it('reads int8 as a number if exact, else as a bigint, and writes both', async () => {
    const database = open();
    const rows = await database.sql`
      select count(*) as few, 9007199254740993 as many, ${database.sql.typed(5n, 20)} as five, array[1, 2]::int8[] as both`;
    expect(rows[0]).toEqual({ few: 1, many: 9007199254740993n, five: 5, both: [1, 2] });
  });
});

test('a prepared statement is parsed once for a connection, and a `drizzle` statement each time', async () => {
  const database = open({ poolSize: 1 });
  const add = (to: Database['drizzle'], one: number) => to.execute(sql`select ${one}::int + 1 as two`);
  expect([...(await add(database.prepared, 1)), ...(await add(database.prepared, 2))]).toEqual([
    { two: 2 },
    { two: 3 },
  ]);
  await add(database.drizzle, 3);
  const kept = await database.sql`
    select generic_plans + custom_plans as runs from pg_prepared_statements where statement like 'select $1::int + 1%'`;
  expect([...kept]).toEqual([{ runs: 2 }]);
});

test('statements of a prepared transaction and of its savepoints are parsed once for a connection', async () => {
  const database = open({ poolSize: 1 });
  for (const one of [1, 2]) {
    await database.prepared.transaction(async (tx) => {
      const both = [tx.execute(sql`select ${one}::int + 3`), tx.execute(sql`select ${one}::int + 4`)];
      expect((await Promise.all(both)).map(([row]) => row)).toEqual([
        { '?column?': one + 3 },
        { '?column?': one + 4 },
      ]);
      await tx.transaction((inner) => inner.execute(sql`select ${one}::int + 5`));
    });
  }
  const kept = await database.sql`
    select generic_plans + custom_plans as runs from pg_prepared_statements
    where statement like 'select $1::int + _'`;
  expect(kept.map(({ runs }) => runs)).toEqual([2, 2, 2]);
});

test('a statement that was built once runs in the transaction that it is given', async () => {
  const { drizzle, prepared } = open({ poolSize: 2 });
  const numbers = pgTable('numbers', { n: integer().notNull() });
  await drizzle.execute(sql`create table if not exists numbers (n int not null)`);
  const insert = prepared
    .insert(numbers)
    .values({ n: sql.placeholder('n') })
    .returning()
    .prepare('insert_number');
  const rolledBack = prepared.transaction(async (tx) => {
    expect(await inTransaction(tx, insert).execute({ n: 1 })).toEqual([{ n: 1 }]);
    expect(await tx.select().from(numbers)).toEqual([{ n: 1 }]);
    throw new Error('stop');
  });
  await expect(rolledBack).rejects.toThrow('stop');
  expect(await drizzle.select().from(numbers)).toEqual([]);
  await insert.execute({ n: 2 });
  expect(await drizzle.select().from(numbers)).toEqual([{ n: 2 }]);
});

describe('the measurements of calls', () => {
  function calls() {
    const made: string[] = [];
    const measure: DatabaseOptions['measure'] = (operation, subject) => {
      const call = subject === undefined ? operation : `${operation} ${subject()}`;
      return (failure) => void made.push(`${call} ${failure === undefined ? 'ok' : 'failed'}`);
    };
    return { made, measure };
  }

  it('measures queries, and the beginning and the commit of transactions', async () => {
    const { made, measure } = calls();
    const database = open({ measure });
    await database.drizzle.transaction((tx) => tx.execute(sql`select ${1}::int from pg_class limit 1`));
    await database.sql.begin((tx) => [tx`select 1`, tx`with n as (select 2) select * from n`]);
    const broken = database.drizzle.transaction(async () => Promise.reject(new Error('of the rule')));
    await expect(broken).rejects.toThrow('of the rule');
    await expect(database.sql`update "no_such" set x = 1`).rejects.toThrow('does not exist');
    expect(made).toEqual([
      ...['begin ok', 'query select pg_class ok', 'commit ok'],
      ...['begin ok', 'query select ok', 'query with n ok', 'commit ok'],
      'begin ok',
      'query update no_such ok',
    ]);
  });

  it('counts calls as failed when the server does not answer', async () => {
    const { made, measure } = calls();
    const database = open({ measure, statementTimeoutMs: 100 });
    await expect(database.sql`select pg_sleep(1)`).rejects.toThrow();
    const gone = openDatabase({
      url: `postgres://127.0.0.1:${await freePort()}/x`,
      applicationName: 'x',
      measure,
    });
    onTestFinished(() => gone.close());
    await expect(gone.sql`select 1`).rejects.toThrow();
    await expect(gone.sql.begin((tx) => tx`select 1`)).rejects.toThrow();
    expect(made).toEqual(['query select failed', 'query select failed', 'begin failed']);
  });
});

describe('the count of calls in flight', () => {
  it('counts queries and transactions that run or wait, until they end or time out', async () => {
    const database = open({ poolSize: 1, statementTimeoutMs: 300 });
    expect(database.inFlight()).toBe(0);
    const held = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const work = database.sql.begin(async (transaction) => {
      await transaction`select 1`;
      begun.resolve();
      await held.promise;
    });
    const blocking = outcome(work);
    await begun.promise;
    expect(database.inFlight()).toBe(1);
    const waiting = outcome(database.ping());
    await new Promise(setImmediate);
    expect(database.inFlight()).toBe(2);
    expect(await waiting).toBe('unavailable');
    held.resolve();
    await blocking;
    await eventually(async () => expect(database.inFlight()).toBe(0));
    expect(await outcome(database.sql`select 1 / 0`)).not.toBe('answered');
    expect(database.inFlight()).toBe(0);
  });
});

describe('a pool with all connections in use', () => {
  const fairnessKeys = new AsyncLocalStorage<string>();
  const pause = sql`select pg_sleep(0.02)`;

  /** Returns the keys in the order in which their work ends. */
  async function orderOf(work: (database: Database) => Promise<unknown>): Promise<string[]> {
    const database = open({ poolSize: 2, fairnessKey: () => fairnessKeys.getStore() ?? '' });
    const order: string[] = [];
    const run = (fairnessKey: string) =>
      fairnessKeys.run(fairnessKey, () =>
        work(database).then(() => order.push(fairnessKeys.getStore() ?? '')),
      );
    const many = Array.from({ length: 20 }, () => run('many'));
    // The other keys begin once all of these wait.
    await new Promise(setImmediate);
    await Promise.all([...many, run('one'), run('other')]);
    return order;
  }

  it.each<[string, (database: Database) => Promise<unknown>]>([
    ['queries', (database) => Promise.resolve(database.drizzle.execute(pause))],
    ['transactions', (database) => database.drizzle.transaction((transaction) => transaction.execute(pause))],
  ])('%s of a key with many do not delay those of others', async (_, work) => {
    const order = await orderOf(work);
    expect(order).toHaveLength(22);
    // Two already run, and the three keys take turns.
    expect(order.indexOf('one')).toBeLessThan(8);
    expect(order.indexOf('other')).toBeLessThan(8);
  });

  it.each([2, 5, 7])(
    'a pool of %i connections leaves one to others while calls of one key wait',
    async (poolSize) => {
      const database = open({ poolSize, fairnessKey: () => fairnessKeys.getStore() ?? '' });
      const held = Promise.withResolvers<void>();
      const hold = () => database.drizzle.transaction(() => held.promise);
      const many = fairnessKeys.run('many', () => Array.from({ length: 20 }, hold));
      await new Promise(setImmediate);
      const others = [
        fairnessKeys.run('one', () => database.drizzle.execute(pause)),
        fairnessKeys.run('', () => database.ping()),
      ];
      expect(await Promise.all(others.map(outcome))).toEqual(['answered', 'answered']);
      held.resolve();
      await Promise.all(many);
    },
  );

  it('a call that timed out while it waited takes no connection', async () => {
    const database = open({ poolSize: 1, statementTimeoutMs: 300 });
    const held = Promise.withResolvers<void>();
    const blocking = database.sql.begin(async () => await held.promise);
    const given = [
      database.ping(),
      database.drizzle.transaction(async (transaction) => transaction.execute(pause)),
    ];
    expect(await Promise.all(given.map(outcome))).toEqual(['unavailable', 'unavailable']);
    const last = database.drizzle.transaction(async (transaction) => transaction.execute(pause));
    held.resolve();
    await blocking;
    expect(await outcome(last)).toBe('answered');
    expect(database.inFlight()).toBe(0);
  });
});

describe('time-outs', () => {
  it('ends a slow statement and calls the database unavailable', async () => {
    const database = open({ statementTimeoutMs: 100 });
    expect(await outcome(database.drizzle.execute(sql`select pg_sleep(5)`))).toBe('unavailable');
    expect(await outcome(database.ping())).toBe('answered');
  });

  it('limits the wait for a connection, for queries and transactions', async () => {
    const database = open({ poolSize: 1, statementTimeoutMs: 300 });
    const held = Promise.withResolvers<void>();
    const blocking = database.sql.begin(async () => await held.promise).catch(() => undefined);
    const waiting = [
      database.ping(),
      database.drizzle.transaction(async (transaction) => transaction.execute(sql`select 1`)),
    ];
    expect(await Promise.all(waiting.map(outcome))).toEqual(['unavailable', 'unavailable']);
    held.resolve();
    await blocking;
    expect(await outcome(database.ping())).toBe('answered');
  });

  it('never runs a statement that timed out before it was sent', async () => {
    await open().sql`create table if not exists given_up (id int)`;
    const database = open({ poolSize: 1, statementTimeoutMs: 300 });
    // Keeps receiving data, so that the connection is not closed as silent.
    const busy = database.sql.begin(async (transaction) => {
      for (let i = 0; i < 12; i++) await transaction`select pg_sleep(0.1)`;
    });
    expect(await outcome(database.sql`insert into given_up values (1)`)).toBe('unavailable');
    await busy;
    expect(await database.sql`select id from given_up`).toHaveLength(0);
  });

  it('runs no statement of a transaction after its connection was lost', async () => {
    const database = open({ poolSize: 1 });
    await database.sql`create table if not exists outside (id int)`;
    const lost = database.sql.begin(async (transaction) => {
      const [row] = await transaction`select pg_backend_pid() as pid`;
      const other = open();
      await other.sql`select pg_terminate_backend(${row?.['pid']})`;
      await database.ping();
      await transaction`insert into outside values (1)`;
    });
    expect(await outcome(lost)).toBe('unavailable');
    expect(await database.sql`select id from outside`).toHaveLength(0);
  });

  it('commits a transaction that succeeds, and rolls back one that throws', async () => {
    const database = open();
    await database.sql`create table whole (id int)`;
    await database.drizzle.transaction(async (transaction) => {
      await transaction.execute(sql`insert into whole values (1)`);
      await transaction
        .transaction(async (inner) => {
          await inner.execute(sql`insert into whole values (2)`);
          throw new Error('undo');
        })
        .catch(() => undefined);
    });
    const failing = database.sql.begin(async (transaction) => {
      await transaction`insert into whole values (3)`;
      throw new Error('undo');
    });
    await expect(failing).rejects.toThrow('undo');
    expect(await database.sql`select id from whole`).toEqual([{ id: 1 }]);
  });
});

describe('a server that fails', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await postgresServer(['test']);
  });
  afterAll(() => server.remove());
  const openHere = (options: Partial<DatabaseOptions> = {}) =>
    open({ url: server.url('test'), statementTimeoutMs: 500, connectTimeoutMs: 500, ...options });

  it('queries and transactions fail within the time-out on a frozen server, and work again once it is thawed', async () => {
    const database = openHere({ poolSize: 3 });
    await database.ping();
    await server.freeze();
    try {
      const many = () =>
        Array.from({ length: 40 }, (_, i) =>
          i % 4 ? database.ping() : database.sql.begin((t) => t`select 1`),
        );
      for (let round = 0; round < 3; round++) {
        const outcomes = await Promise.all(many().map(outcome));
        expect(new Set(outcomes)).toEqual(new Set(['unavailable']));
      }
    } finally {
      await server.thaw();
    }
    await eventually(() => database.ping());
    const after = await Promise.all(
      Array.from({ length: 40 }, () => outcome(database.sql`select pg_sleep(0.01)`)),
    );
    expect(new Set(after)).toEqual(new Set(['answered']));
  });

  it('a transaction on a server that is frozen during it fails within the time-out', async () => {
    const database = openHere();
    const failing = database.sql.begin(async (transaction) => {
      await transaction`select 1`;
      await server.freeze();
      await transaction`select 2`;
    });
    expect(await outcome(failing)).toBe('unavailable');
    await server.thaw();
    await eventually(() => database.ping());
  });

  it('the database is unavailable while the server is stopped, and works again without a restart', async () => {
    const database = openHere();
    await database.ping();
    await server.stop();
    expect(await outcome(database.ping())).toBe('unavailable');
    expect(await outcome(database.drizzle.execute(sql`select 1`))).toBe('unavailable');
    await server.start();
    await eventually(() => database.ping());
  });

  it('queries on a killed server fail as unavailable, and later queries succeed', async () => {
    const database = openHere({ statementTimeoutMs: 5000 });
    const running = [outcome(database.sql`select pg_sleep(4)`), outcome(database.sql`select pg_sleep(4)`)];
    await eventually(async () => {
      const [row] =
        await database.sql`select count(*) from pg_stat_activity where query like '%pg_sleep(4)%'`;
      expect(row?.['count']).toBeGreaterThan(2);
    });
    await server.kill();
    expect(await Promise.all(running)).toEqual(['unavailable', 'unavailable']);
    await eventually(() => database.ping());
  });

  it('transactions on a killed server fail as unavailable, and the process keeps running', async () => {
    const database = openHere({ poolSize: 2, statementTimeoutMs: 5000 });
    let begun = 0;
    const running = Array.from({ length: 4 }, () =>
      outcome(
        database.drizzle.transaction(async (transaction) => {
          await transaction.execute(sql`select 1`);
          begun += 1;
          await transaction.execute(sql`select pg_sleep(4)`);
        }),
      ),
    );
    await eventually(() => expect(begun).toBe(2));
    await server.kill();
    expect((await Promise.all(running)).slice(0, 2)).toEqual(['unavailable', 'unavailable']);
    await eventually(() => database.ping());
    expect(
      await outcome(database.drizzle.transaction((transaction) => transaction.execute(sql`select 1`))),
    ).toBe('answered');
  });

  it('some queries run and the others are rejected when the server has no free connection', async () => {
    // Three connections per role, so that the test does not depend on the speed of hundreds of log-ins.
    await openHere().sql.unsafe(`create role few login password 'few' connection limit 3`);
    const url = new URL(server.url('test'));
    url.username = 'few';
    url.password = 'few';
    const database = openHere({
      url: url.href,
      poolSize: 12,
      statementTimeoutMs: 10_000,
      connectTimeoutMs: 5000,
    });
    const outcomes = new Set(
      await Promise.all(Array.from({ length: 12 }, () => outcome(database.sql`select pg_sleep(1)`))),
    );
    expect(outcomes).toEqual(new Set(['answered', 'unavailable']));
  });

  it('listeners are notified of a lost and a restored connection, and then receive messages again', async () => {
    const database = openHere();
    const heard: string[] = [];
    let gaps = 0;
    for (const channel of ['one', 'Two words']) {
      await database.listen(
        channel,
        (payload) => heard.push(`${channel}: ${payload}`),
        () => gaps++,
      );
    }
    await database.sql`select pg_notify('one', 'a'), pg_notify('Two words', 'b')`;
    await eventually(() => expect(heard.sort()).toEqual(['Two words: b', 'one: a']));
    expect(gaps).toBe(0);
    await server.stop();
    await eventually(() => expect(gaps).toBe(2));
    await server.start();
    await eventually(() => expect(gaps).toBe(4));
    await database.sql`select pg_notify('one', 'c'), pg_notify('Two words', 'd')`;
    await eventually(() =>
      expect(heard.sort()).toEqual(['Two words: b', 'Two words: d', 'one: a', 'one: c']),
    );
  });
});

describe('listen', () => {
  it('delivers each message to every listener of a channel until it stops', async () => {
    const database = open();
    const first: string[] = [];
    const second: string[] = [];
    const ignoreGap = () => undefined;
    const stopping = await database.listen('news', (payload) => first.push(payload), ignoreGap);
    await database.listen('news', (payload) => second.push(payload), ignoreGap);
    await database.sql`select pg_notify('news', '1')`;
    await eventually(() => expect([first, second]).toEqual([['1'], ['1']]));
    await stopping.stop();
    await database.sql`select pg_notify('news', '2')`;
    await eventually(() => expect(second).toEqual(['1', '2']));
    expect(first).toEqual(['1']);
  });

  it('throws from listen when the database is unavailable', async () => {
    const database = open({ url: `postgres://nobody@127.0.0.1:${await freePort()}/none` });
    expect(
      await outcome(
        database.listen(
          'news',
          () => undefined,
          () => undefined,
        ),
      ),
    ).toBe('unavailable');
  });
});

describe('isUnavailable', () => {
  it('distinguishes an unavailable database from an error of the caller', async () => {
    const unreachable = open({ url: `postgres://nobody@127.0.0.1:${await freePort()}/none` });
    expect(await outcome(unreachable.ping())).toBe('unavailable');
    expect(await outcome(unreachable.drizzle.execute(sql`select 1`))).toBe('unavailable');
    const database = open();
    expect(await outcome(database.sql`select 1 / 0`)).toMatchObject({ code: '22012' });
    expect(await outcome(database.drizzle.execute(sql`select * from missing`))).toMatchObject({
      cause: { code: '42P01' },
    });
    expect(isUnavailable(new Error('ECONNREFUSED'))).toBe(false);
    expect(isUnavailable('ECONNREFUSED')).toBe(false);
  });
});
