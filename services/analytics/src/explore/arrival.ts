import { z } from 'zod';
import { shownOf } from '../engine/dialect.ts';
import { integer, sql, text } from '../engine/sql.ts';
import { TooMuch } from '../query-queue/query-queue.ts';
import { jsonOf, type Result } from '../results/results.ts';
import type { SeenStore } from '../seen/store.ts';
import { DAY_MS, type ExploreOptions, SINCE } from './explore.ts';

interface Arrival {
  lastSeenAt: string | null;
  minutes: { at: string; events: number }[];
  sdks: { name: string; version: string; events: number }[];
}

/** Returns whether events of a project arrive. Throws Unavailable. */
export type FindArrival = (projectId: string) => Promise<Result<Arrival>>;

const MINUTE_MS = 60_000;
const MINUTES = 60;
const MAX_SDKS = 20;
/** Events may have occurred long before they arrive, for example offline. Older ones are not counted. */
const OCCURRED_WITHIN_MS = DAY_MS;

const minuteRows = z.array(z.object({ minute: z.number(), events: z.number() }));
const sdkRows = z.array(z.object({ name: z.string(), version: z.string(), events: z.number() }));

export function createFindArrival({
  queue,
  results,
  watermark,
  clock,
  seen,
}: ExploreOptions & { seen: Pick<SeenStore, 'lastOf'> }): FindArrival {
  return async (projectId) => {
    const asOf = watermark.asOf();
    const end = Math.floor(clock.now().getTime() / MINUTE_MS) + 1;
    const first = end - MINUTES;
    const occurredSince = first * MINUTE_MS - OCCURRED_WITHIN_MS;
    const bounds = { signal: queue.deadline(), narrowing: SINCE };
    const lastSeenAt = await seen.lastOf(projectId);

    /** Undefined if there are too many files. */
    const found = await unlessTooMuch(() =>
      queue.find({ projectId, names: undefined, from: occurredSince }, bounds),
    );

    async function count(): Promise<Pick<Arrival, 'minutes' | 'sdks'> | undefined> {
      if (found === undefined) return undefined;
      return queue.run(
        projectId,
        found,
        async ({ dialect, events }, run) => {
          const received = sql`from ${events} where project_id = ${text(projectId)}
            and occurred_at >= ${dialect.instant(occurredSince)}
            and received_at >= ${dialect.instant(first * MINUTE_MS)}`;
          const minute = dialect.quotient(dialect.millisOf(sql`received_at`), MINUTE_MS);
          const label = (name: string) => sql`coalesce(${dialect.labelOfProperty(sql`context`, name)}, '')`;
          const minutes = await run(sql`select ${minute}::double as minute, count(*)::double as events
            ${received} group by minute`);
          const sdks =
            await run(sql`select * from (select ${label('sdk')} as name, ${label('sdk_version')} as version,
              count(*)::double as events ${received} group by name, version) as counted
            where name <> '' order by events desc, name, version limit ${integer(MAX_SDKS)}`);
          return {
            minutes: minutesOf(minuteRows.parse(minutes), first),
            sdks: sdkRows
              .parse(sdks)
              .map((one) => ({ ...one, name: shownOf(one.name), version: shownOf(one.version) })),
          };
        },
        bounds,
      );
    }

    async function read(): Promise<Arrival> {
      const counted = await unlessTooMuch(count);
      return { lastSeenAt: lastSeenAt?.toISOString() ?? null, ...(counted ?? { minutes: [], sdks: [] }) };
    }

    const key = ['arrival', projectId, lastSeenAt?.getTime(), end, found?.version];
    return results.of(key, asOf, async () => jsonOf(await read()));
  };
}

async function unlessTooMuch<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof TooMuch) return undefined;
    throw error;
  }
}

function minutesOf(rows: z.infer<typeof minuteRows>, first: number): Arrival['minutes'] {
  const counts = new Map(rows.map(({ minute, events }) => [minute, events]));
  return Array.from({ length: MINUTES }, (_, index) => ({
    at: new Date((first + index) * MINUTE_MS).toISOString(),
    events: counts.get(first + index) ?? 0,
  }));
}
