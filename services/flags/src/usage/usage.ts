import type { FlagUsage, FlagUsagePoint, FlagUsageReport } from '@switchboard/contracts';
import { NotFound } from '@switchboard/http';
import type { Clock, Metrics } from '@switchboard/runtime';
import type { FlagPath } from '../flags/edit-flag.ts';
import type { Rulesets } from '../rulesets/rulesets.ts';
import { stalenessOf } from './staleness.ts';
import type { SeenRow, UsageRow, UsageStore } from './store.ts';
import type { Tallies } from './tallies.ts';

interface UsageOptions {
  rulesets: Pick<Rulesets, 'get'>;
  tallies: Pick<Tallies, 'addReported'>;
  store: UsageStore;
  clock: Clock;
  metrics: Pick<Metrics, 'counter'>;
}

export interface Usage {
  /** Counts what a client reports. Drops entries of flags and variations that the project does not have. */
  report(projectId: string, usage: FlagUsageReport['usage']): Promise<{ accepted: number; unknown: number }>;
  /** Returns the usage of the project's flags in the last seven days, sorted by key. */
  list(projectId: string): Promise<FlagUsage[]>;
  /** Returns the points of the last days, oldest first. Throws NotFound. */
  over(flag: FlagPath, range: { interval: 'hour' | 'day'; days: number }): Promise<FlagUsagePoint[]>;
}

const DAY_MS = 86_400_000;
const TOTAL_DAYS = 7;

export function createUsage({ rulesets, tallies, store, clock, metrics }: UsageOptions): Usage {
  const dropped = metrics.counter(
    'switchboard_flag_usage_unknown_total',
    'Entries of usage reports that were dropped because their flag or variation does not exist.',
  );
  return {
    async report(projectId, usage) {
      const ruleset = await rulesets.get(projectId);
      const counted = usage.filter(({ flag, variation, count }) =>
        tallies.addReported(projectId, ruleset, { key: flag, variation, count }),
      );
      const unknown = usage.length - counted.length;
      dropped.add(unknown);
      return { accepted: counted.length, unknown };
    },

    async list(projectId) {
      const now = clock.now();
      const [ages, seen, totals] = await Promise.all([
        store.ages(projectId),
        store.seen(projectId),
        store.totals(projectId, firstOf(TOTAL_DAYS, now), now),
      ]);
      const seenOf = Map.groupBy(seen, ({ key }) => key);
      const totalsOf = Map.groupBy(totals, ({ key }) => key);
      const countedSince = seen.map(({ firstAt }) => firstAt).reduce(earlier, undefined);
      return ages.map((age) => {
        const flagSeen = seenOf.get(age.key) ?? [];
        const counts = new Map(
          (totalsOf.get(age.key) ?? []).map(({ variation, count }) => [variation, count]),
        );
        const variations = flagSeen
          .map(({ variation, lastAt }) => ({
            variation,
            evaluations: counts.get(variation) ?? 0,
            lastSeenAt: lastAt.toISOString(),
          }))
          .sort(
            (one, other) => other.evaluations - one.evaluations || (one.variation < other.variation ? -1 : 1),
          );
        return {
          key: age.key,
          evaluations: variations.reduce((sum, { evaluations }) => sum + evaluations, 0),
          lastSeenAt: lastOf(flagSeen),
          variations,
          stale: stalenessOf(age, flagSeen, countedSince, now),
        };
      });
    },

    async over({ projectId, key }, { interval, days }) {
      const ruleset = await rulesets.get(projectId);
      if (!ruleset.compiled.positions.has(key)) throw new NotFound('Flag not found.');
      const since = firstOf(days, clock.now());
      const rows = await (interval === 'hour'
        ? store.hours(projectId, key, since)
        : store.days(projectId, key, since));
      return pointsOf(rows);
    },
  };
}

/** Returns a time on the first of the days until now. */
const firstOf = (days: number, now: Date) => new Date(now.getTime() - (days - 1) * DAY_MS);

const earlier = (one: Date | undefined, other: Date) => (one !== undefined && one < other ? one : other);

function lastOf(seen: readonly SeenRow[]): string | null {
  const [last] = seen.map(({ lastAt }) => lastAt).sort((one, other) => other.getTime() - one.getTime());
  return last === undefined ? null : last.toISOString();
}

function pointsOf(rows: readonly UsageRow[]): FlagUsagePoint[] {
  const byTime = Map.groupBy(rows, ({ at }) => at.getTime());
  return [...byTime]
    .sort(([one], [other]) => one - other)
    .map(([at, served]) => ({
      at: new Date(at).toISOString(),
      evaluations: Object.fromEntries(served.map(({ variation, count }) => [variation, count])),
    }));
}
