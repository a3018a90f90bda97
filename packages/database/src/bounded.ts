import type { EndOfCall, Measure, Place } from '@switchboard/resilience';
import type postgres from 'postgres';
import { isUnavailable } from './unavailable.ts';

/** The database did not answer in time. Whether the statement took effect is unknown unless it was never sent. */
export class QueryTimeout extends Error {
  override name = 'QueryTimeout';
  code = 'QUERY_TIMEOUT';
}

/** What of a query of postgres.js 3.4 is used here and is not in its types. */
interface Query {
  handler(query: Query): void;
  /** Its text, without values. */
  strings: readonly string[];
  resolve(value: unknown): void;
  reject(error: unknown): void;
  cancel(): void;
  /** The connection it was sent on; null while it waits for one. */
  state: unknown;
  cancelled: unknown;
}

export interface Bound {
  withinMs: number;
  /** Called at the start of every query. */
  onStart(): void;
  /** Told 1 when a query or a transaction begins to wait for a connection, -1 when it has ended or was given up. */
  count(change: 1 | -1): void;
  /** Of a query or a transaction, among those that have a connection or wait for one. */
  place(): Place;
  /** Measures each from when it has its place: until then it waits for others of this process. */
  measure: Measure | undefined;
  /** Called when one did not come back in time. */
  onTimeout(): void;
}

const OWN_CONNECTION: Place = { enter: (begin) => begin(), leave: () => undefined };

/** Transactions that wait for a connection cannot be taken out of postgres.js's queue: more are refused. */
const MAX_WAITING_TRANSACTIONS = 1000;

/**
 * The same client, whose queries and beginnings of transactions fail when no answer has come in time: postgres.js has
 * no such bound (a query to a stopped server waits for ever, and so does one that waits for a connection).
 */
export function boundQueries<Sql extends postgres.Sql | postgres.TransactionSql>(
  sql: Sql,
  bound: Bound,
): Sql {
  let waiting = 0;
  // A transaction counts as one, however many queries it has.
  const within: Bound = { ...bound, count: () => undefined, place: () => OWN_CONNECTION };

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
      const place = bound.place();
      let endCall: EndOfCall | undefined;
      const end = once((failure?: unknown) => {
        bound.count(-1);
        place.leave();
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
      place.enter(() => {
        endCall = bound.measure?.('query', () => summaryOf(query.strings.join('?')));
        handler(query);
      });
    };
    return result;
  }

  function giveUp(query: Query, reject: (error: unknown) => void): void {
    reject(new QueryTimeout('The database did not answer in time'));
    if (query.state === null) {
      // Takes it out of the queue. The flag is taken back, for a query that waits for its own connection is in no
      // queue, and postgres.js would never use that connection again.
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
    const place = bound.place();
    waiting += 1;
    bound.count(1);
    bound.onStart();
    let endCall: EndOfCall | undefined;
    const end = once(() => {
      clearTimeout(timer);
      waiting -= 1;
      bound.count(-1);
      place.leave();
    });
    const timer = setTimeout(() => {
      // Once begun, it cannot be taken back.
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
    const entered = new Promise<void>((enter) => place.enter(enter));
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

/** An error in the answer to a statement, such as a duplicate key, is no failure of the database. */
const failureIn = (error: unknown): unknown => (isUnavailable(error) ? error : undefined);

const MAX_SUMMARISED = 2_000;
const FIRST_WORD = /^\W*(\w+)/;
const FIRST_TABLE = /\b(?:from|into|update|join)\s+([\w."]+)/i;

/** What a statement does, and to which table first: `select projects`. */
function summaryOf(text: string): string {
  const start = text.slice(0, MAX_SUMMARISED);
  const [, what = 'query'] = FIRST_WORD.exec(start) ?? [];
  const [, table] = FIRST_TABLE.exec(start) ?? [];
  return table === undefined ? what.toLowerCase() : `${what.toLowerCase()} ${table.replaceAll('"', '')}`;
}
