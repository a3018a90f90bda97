import {
  type Rejection,
  USED_WIRES,
  type UsedWire,
  type WireUsage,
  wireOperations,
} from '@switchboard/contracts';
import type { LookUps } from '@switchboard/directory';
import type { Clock } from '@switchboard/runtime';
import type { RejectionsStore } from '../rejections/store.ts';
import { hourOf, type UsageRow, type WireUsageStore } from './store.ts';

interface WireUsageOptions {
  store: Pick<WireUsageStore, 'list'>;
  rejections: Pick<RejectionsStore, 'list'>;
  directory: Pick<LookUps, 'project'>;
  clock: Clock;
}

/** Returns what arrives in a project by each wire. */
export type ListWireUsage = (projectId: string) => Promise<WireUsage[]>;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;
const MAX_SDKS = 20;
const MAX_LOSSES = 20;
/** The reasons of all wires that are read. */
const MAX_READ_LOSSES = 200;

const wires = new Map<string, UsedWire>(wireOperations.map(({ operationId, wire }) => [operationId, wire]));
const wireOf = ({ operation }: Rejection): UsedWire => wires.get(operation) ?? 'switchboard';

export function createListWireUsage({
  store,
  rejections,
  directory,
  clock,
}: WireUsageOptions): ListWireUsage {
  return async (projectId) => {
    const now = clock.now().getTime();
    const since = new Date(now - WEEK_MS);
    const [project, rows, losses] = await Promise.all([
      directory.project(projectId),
      store.list(projectId, since),
      rejections.list(projectId, since, MAX_READ_LOSSES),
    ]);
    return USED_WIRES.map((wire) => {
      const found = rows.filter((row) => row.wire === wire && sumOf(row, 'requests', now, WEEK_MS) > 0);
      const total = (part: 'requests' | 'events') => ({
        day: found.reduce((sum, row) => sum + sumOf(row, part, now, DAY_MS), 0),
        week: found.reduce((sum, row) => sum + sumOf(row, part, now, WEEK_MS), 0),
      });
      return {
        wire,
        on: wire === 'switchboard' || project?.wires?.includes(wire) === true,
        requests: total('requests'),
        events: total('events'),
        lastSeenAt: lastOf(found),
        sdks: sdksOf(found, now),
        losses: losses.filter((loss) => wireOf(loss) === wire).slice(0, MAX_LOSSES),
      };
    });
  };
}

/** Counts the hours that end within a time. */
const sumOf = (row: UsageRow, part: 'requests' | 'events', now: number, withinMs: number): number =>
  row[part].reduce((sum, count, index) => {
    const isWithin = hourOf(row.day, index) + HOUR_MS > now - withinMs;
    return isWithin ? sum + count : sum;
  }, 0);

function lastOf(rows: readonly UsageRow[]): string | null {
  const times = rows.map(({ lastAt }) => lastAt.getTime());
  return times.length === 0 ? null : new Date(Math.max(...times)).toISOString();
}

function sdksOf(rows: readonly UsageRow[], now: number): WireUsage['sdks'] {
  const named = rows.filter(({ sdk }) => sdk !== '');
  return [...Map.groupBy(named, ({ sdk, version }) => JSON.stringify([sdk, version])).values()]
    .flatMap((ofSdk) => {
      const [first] = ofSdk;
      const requests = ofSdk.reduce((sum, row) => sum + sumOf(row, 'requests', now, WEEK_MS), 0);
      const lastSeenAt = lastOf(ofSdk);
      return first === undefined || lastSeenAt === null
        ? []
        : [{ name: first.sdk, version: first.version, requests, lastSeenAt }];
    })
    .sort((one, other) => other.requests - one.requests || (one.name < other.name ? -1 : 1))
    .slice(0, MAX_SDKS);
}
