import type { InsightRange, SqlResult } from '@switchboard/contracts';
import { BadRequest } from '@switchboard/http';
import type { Clock } from '@switchboard/runtime';
import { spanOf } from '../calendar/calendar.ts';
import type { QueryQueue } from '../query-queue/query-queue.ts';
import type { FoundSource } from '../query-queue/source.ts';
import type { Json, Result, Results } from '../results/results.ts';
import type { Watermark } from '../watermark/watermark.ts';
import { type SqlEngine, type SqlQuery, UnusableSql } from './query.ts';
import { createWaiting } from './waiting.ts';

/**
 * Runs a SQL query on the data of a project, until the client leaves. Throws BadRequest and Unavailable.
 *
 * @param left Aborts when the client leaves.
 */
export type RunSql = (
  projectId: string,
  query: SqlQuery & { range: InsightRange },
  left: AbortSignal,
) => Promise<Result<Omit<SqlResult, 'asOf'>>>;

interface SqlQueriesOptions {
  queue: QueryQueue;
  results: Results;
  watermark: Pick<Watermark, 'asOf'>;
  clock: Clock;
  engine: SqlEngine;
}

/** Results of `now()` are at most this old. */
const MINUTE_MS = 60_000;
const NARROWING = { parameter: 'range', by: 'a shorter range', filter: 'a condition' };

export function createRunSql({ queue, results, watermark, clock, engine }: SqlQueriesOptions): RunSql {
  const waiting = createWaiting();

  return async (projectId, { range, ...query }, left) => {
    const now = clock.now().getTime();
    const asOf = watermark.asOf();
    const { first, last, unitMs } = spanOf(range, 'day', 'UTC', now);
    const span = { from: first * unitMs, to: (last + 1) * unitMs };
    const deadline = queue.deadline();
    const wanted = { projectId, names: undefined, ...span, readsPersons: true };
    const found = await queue.find(wanted, {
      signal: AbortSignal.any([deadline, left]),
      narrowing: NARROWING,
    });
    const key = [projectId, 'sql', query, span, Math.floor(now / MINUTE_MS), found.version];

    const compute = (allLeft: AbortSignal) => async (): Promise<Json<Omit<SqlResult, 'asOf'>>> => {
      const signal = AbortSignal.any([deadline, allLeft]);
      const read = (source: FoundSource) => engine.compute(source, query, span, signal);
      const running = queue.run(projectId, found, read, { signal, narrowing: NARROWING });
      const { columns, rows, truncated } = await refusing(running);
      return `{"dialect":"${engine.dialect}","columns":${JSON.stringify(columns)},"rows":${rows},"truncated":${truncated}}`;
    };
    return waiting.share(left, (allLeft) => results.of(key, asOf, compute(allLeft)));
  };
}

async function refusing<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof UnusableSql) throw new BadRequest(`query: ${error.message}`);
    throw error;
  }
}
