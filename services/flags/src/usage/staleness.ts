import type { FlagStaleness } from '@switchboard/contracts';
import type { FlagAge } from './store.ts';

/** Days that a flag may exist, by intent. Undefined means any time. */
const LIFETIME_DAYS: Record<string, number | undefined> = {
  release: 40,
  experiment: 40,
  sunset: 30,
  operational: 7,
};

/** Flags that stay in the code. */
const PERMANENT = new Set(['kill_switch', 'permission']);

const SERVED_DAYS = 14;
const UNCHANGED_DAYS = 30;
const DAY_MS = 86_400_000;

interface Seen {
  variation: string;
  firstAt: Date;
  lastAt: Date;
}

/**
 * Returns why a flag is stale, or null. `seen` is what the flag served; `countedSince` is the time of the project's
 * first counted evaluation.
 */
export function stalenessOf(
  { intent, createdAt, changedAt }: FlagAge,
  seen: readonly Seen[],
  countedSince: Date | undefined,
  now: Date,
): FlagStaleness | null {
  if (createdAt === null || changedAt === null || PERMANENT.has(intent ?? '')) return null;
  const isBefore = (at: Date | undefined, days: number) =>
    at !== undefined && now.getTime() - at.getTime() >= days * DAY_MS;
  const recent = seen.filter(({ lastAt }) => !isBefore(lastAt, SERVED_DAYS));
  const [only, another] = recent;
  const variation = another === undefined ? only?.variation : undefined;
  const stale = (reason: FlagStaleness['reason']) => ({
    reason,
    ...(variation === undefined ? {} : { variation }),
    changedAt: changedAt.toISOString(),
  });
  if (isBefore(changedAt, UNCHANGED_DAYS)) {
    const isServed = seen.some(({ firstAt }) => isBefore(firstAt, SERVED_DAYS));
    if (variation !== undefined && isServed) return stale('one_variation');
    if (recent.length === 0 && isBefore(countedSince, SERVED_DAYS)) return stale('not_evaluated');
  }
  const lifetime = LIFETIME_DAYS[intent ?? ''];
  return lifetime !== undefined && isBefore(createdAt, lifetime) ? stale('past_intent') : null;
}
