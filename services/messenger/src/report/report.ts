import type { ConversationReport } from '@switchboard/contracts';
import type { RateLimit } from '@switchboard/http';
import type { DayValues, ReportRange, ReportStore } from './store.ts';

interface ReportOptions {
  store: ReportStore;
  /** Limits the reports of a member. */
  limit: RateLimit;
}

const DAY_MS = 86_400_000;

export type Report = ReturnType<typeof createReport>;

/** Reports the volume, the times and the ratings of conversations by day. */
export function createReport({ store, limit }: ReportOptions) {
  return async (range: ReportRange, sub: string): Promise<ConversationReport> => {
    await limit.consume(`${range.projectId}:${sub}`);
    const [opened, replied, resolved, rated] = await Promise.all([
      store.opened(range),
      store.firstReplies(range),
      store.resolved(range),
      store.ratings(range),
    ]);
    const buckets = daysOf(range);
    const shared = { buckets, interval: 'day' } as const;
    const counts = (name: string, values: DayValues[]) => ({
      name,
      values: valuesOf(buckets, values, ({ count }) => count, 0),
    });
    const amounts = (name: string, values: DayValues[]) => ({
      name,
      values: valuesOf(buckets, values, ({ amount }) => rounded(amount), null),
      // Medians and averages cannot be added up.
      total: rounded(values.find(({ day }) => day === null)?.amount ?? null),
    });
    return {
      volume: {
        ...shared,
        kind: 'bar',
        title: 'Conversations',
        unit: 'conversations',
        series: [counts('Opened', opened), counts('Resolved', resolved), counts('Rated', rated)],
      },
      times: {
        ...shared,
        // Not bars, which are stacked: medians cannot be added up.
        kind: 'line',
        title: 'Response times',
        unit: 'minutes',
        series: [amounts('First reply', replied), amounts('Resolution', resolved)],
      },
      satisfaction: {
        ...shared,
        kind: 'bar',
        title: 'Satisfaction',
        series: [amounts('Average rating', rated)],
      },
    };
  };
}

function daysOf({ from, to }: ReportRange): string[] {
  const days: string[] = [];
  for (let at = Date.parse(from); at <= Date.parse(to); at += DAY_MS)
    days.push(new Date(at).toISOString().slice(0, 10));
  return days;
}

function valuesOf(
  days: readonly string[],
  values: readonly DayValues[],
  pick: (values: DayValues) => number | null,
  none: number | null,
): (number | null)[] {
  const byDay = new Map(values.map((value) => [value.day, pick(value)]));
  return days.map((day) => byDay.get(day) ?? none);
}

const rounded = (value: number | null) => (value === null ? null : Math.round(value * 10) / 10);
