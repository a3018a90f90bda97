import type { Permit } from '@switchboard/fairness';
import type { EndOfCall, Measure } from '@switchboard/resilience';
import type postgres from 'postgres';
import { isUnavailable } from './unavailable.ts';

/** The database did not answer in time. Whether the statement took effect is unknown unless it was never sent. */
export class QueryTimeout extends Error {
  override name = 'QueryTimeout';
  code = 'QUERY_TIMEOUT';
}

/** The parts of a postgres.js 3.4 query that are used here and missing from its types. */
interface Query {
  handler(query: Query): void;
  /** The text of the query, without values. */
  strings: readonly string[];
  resolve(value: unknown): void;
  reject(error: unknown): void;
  cancel(): void;
  /** The connection that the query was sent on; null while it waits for one. */
  state: unknown;
  cancelled: unknown;
}

export interface Bound {
  withinMs: number;
  /** Called at the start of every query. */
  onStart(): void;
  /**
   * Called with 1 when a query or transaction begins to wait for a connection, with -1 when it ends or is given up.
   */
  count(change: 1 | -1): void;
  /** Returns the permit of a query or transaction to take a connection. */
  permit(): Permit;
  /** Measures each call from when it has its permit. Waiting for other calls of this process does not count. */
  measure: Measure | undefined;
  /** Called when a query or transaction times out. */
  onTimeout(): void;
}

const OWN_CONNECTION: Permit = { acquire: (begin) => begin(), release: () => undefined };

/** Further transactions are rejected, since waiting ones cannot be removed from the queue of postgres.js. */
const MAX_WAITING_TRANSACTIONS = 1000;

/**
 * Returns the same client, with a time limit for queries and for the start of transactions. postgres.js has none: a
 * query to a stopped server, or one that waits for a connection, waits forever.
 */
export function boundQueries<Sql extends postgres.Sql | postgres.TransactionSql>(
  sql: Sql,
  bound: Bound,
): Sql {
  let waiting = 0;
  // A transaction counts as one, regardless of its number of queries.
  const within: Bound = { ...bound, count: () => undefined, permit: () => OWN_CONNECTION };

  function call(method: 'unsafe' | 'begin' | 'savepoint', given: unknown[]): unknown {
    const found: unknown = Reflect.get(sql, method);
    if (typeof found !== 'function') throw new TypeError(`postgres.js has no ${method} here`);
    return Reflect.apply(found, sql, given);
  }

  function bind(result: unknown): unknown {
    if (!isQuery(result)) return result;
    const { handler, resolve, reject } = result;
    result.handler = (query) => {
      bound.onStart();
      bound.count(1);
      const permit = bound.permit();
      let endCall: EndOfCall | undefined;
      const end = once((failure?: unknown) => {
        bound.count(-1);
        permit.release();
        endCall?.(failure);
      });
      const timer = setTimeout(() => {
        end(LATE);
        giveUp(query, reject);
      }, bound.withinMs);
      query.resolve = (value) => {
        clearTimeout(timer);
        end();
        resolve(value);
      };
      query.reject = (error) => {
        clearTimeout(timer);
        end(failureIn(error));
        reject(error);
      };
      permit.acquire(() => {
        endCall = bound.measure?.('query', () => summaryOf(query.strings.join('?')));
        handler(query);
      });
    };
    return result;
  }

  function giveUp(query: Query, reject: (error: unknown) => void): void {
    reject(new QueryTimeout('The database did not answer in time'));
    if (query.state === null) {
      // Removes the query from the queue, then resets the flag: a query that waits for its own connection is in no
      // queue, and with the flag set postgres.js would never use that connection again.
      query.cancel();
      query.cancelled = null;
    }
    bound.onTimeout();
  }

  async function begin(...given: unknown[]): Promise<unknown> {
    if (waiting >= MAX_WAITING_TRANSACTIONS)
      throw new QueryTimeout('Too many transactions wait for the database');
    const { promise: started, resolve, reject } = Promise.withResolvers<void>();
    let state: 'waiting' | 'begun' | 'late' = 'waiting';
    const permit = bound.permit();
    waiting += 1;
    bound.count(1);
    bound.onStart();
    let endCall: EndOfCall | undefined;
    const end = once(() => {
      clearTimeout(timer);
      waiting -= 1;
      bound.count(-1);
      permit.release();
    });
    const timer = setTimeout(() => {
      // A transaction that has begun cannot be withdrawn.
      if (state === 'waiting') end();
      endCall?.(LATE);
      state = 'late';
      reject(new QueryTimeout('The database did not begin the transaction in time'));
      bound.onTimeout();
    }, bound.withinMs);
    const work = given.map((argument) =>
      typeof argument !== 'function'
        ? argument
        : (transaction: postgres.TransactionSql) => {
            clearTimeout(timer);
            resolve();
            if (state === 'late') throw new QueryTimeout('The transaction began too late');
            endCall?.();
            return commitAfter(argument(boundQueries(transaction, within)));
          },
    );
    const entered = new Promise<void>((resolve) => permit.acquire(resolve));
    const done = entered.then(() => {
      state = 'begun';
      endCall = once(bound.measure?.('begin') ?? (() => undefined));
      return call('begin', work);
    });
    const settled = (failure?: unknown) => endCall?.(failure);
    done.then(
      () => settled(),
      (error) => settled(failureIn(error)),
    );
    done.then(() => resolve(), reject).finally(end);

    async function commitAfter(worked: unknown): Promise<unknown> {
      const result = await (Array.isArray(worked) ? Promise.all(worked) : worked);
      endCall = once(bound.measure?.('commit') ?? (() => undefined));
      return result;
    }

    await started;
    return await done;
  }

  function savepoint(...given: unknown[]): unknown {
    const work = given.map((argument) =>
      typeof argument !== 'function'
        ? argument
        : (inner: postgres.TransactionSql) => argument(boundQueries(inner, within)),
    );
    return call('savepoint', work);
  }

  const unsafe = (...given: unknown[]) => bind(call('unsafe', given));
  const replaced = new Map<unknown, unknown>([
    ['unsafe', unsafe],
    ['begin', begin],
    ['savepoint', savepoint],
  ]);
  return new Proxy(sql, {
    apply: (target, self, given) => bind(Reflect.apply(target, self, given)),
    get: (target, name) => (name in target && replaced.get(name)) || Reflect.get(target, name),
  });
}

function isQuery(value: unknown): value is Query {
  return value instanceof Promise && 'handler' in value && 'cancelled' in value;
}

function once<Given extends unknown[]>(act: (...given: Given) => void): (...given: Given) => void {
  let done = false;
  return (...given) => {
    if (done) return;
    done = true;
    act(...given);
  };
}

const LATE = new QueryTimeout('The database did not answer in time');

/** Returns only failures of the database. An error about a statement, such as a duplicate key, is not one. */
const failureIn = (error: unknown): unknown => (isUnavailable(error) ? error : undefined);

const MAX_SUMMARISED = 2_000;
const FIRST_WORD = /^\W*(\w+)/;
const FIRST_TABLE = /\b(?:from|into|update|join)\s+([\w."]+)/i;

/** Returns the verb of a statement and its first table: `select projects`. */
function summaryOf(text: string): string {
  const start = text.slice(0, MAX_SUMMARISED);
  const [, what = 'query'] = FIRST_WORD.exec(start) ?? [];
  const [, table] = FIRST_TABLE.exec(start) ?? [];
  return table === undefined ? what.toLowerCase() : `${what.toLowerCase()} ${table.replaceAll('"', '')}`;
}
