import type { SubscriptionTarget } from '@switchboard/contracts';
import type { Db, Tx } from '@switchboard/database';
import type { Directory, Report } from '@switchboard/directory';
import { createDashboardsStore, isNarrowed } from '../dashboards/store.ts';
import type { SubscriptionRow } from './store.ts';

/** A report or dashboard that is sent, with its reports in reading order, or a digest of threads, which has none. */
export interface Target {
  name: string;
  reports: Report[];
  /** Whether it is a dashboard with a range or filters of its own, which saved runs do not have. */
  isNarrowed: boolean;
}

/** Returns undefined if the report or dashboard does not exist. */
export type FindTarget = (projectId: string, target: SubscriptionTarget) => Promise<Target | undefined>;

interface TargetOptions {
  db: Db | Tx;
  directory: Pick<Directory, 'report'>;
}

export function createFindTarget({ db, directory }: TargetOptions): FindTarget {
  return async (projectId, target) => {
    if (target.kind === 'threads') return { name: 'Unread threads', reports: [], isNarrowed: false };
    const { kind, id } = target;
    if (kind === 'report') {
      const report = await directory.report(projectId, id);
      return report && { name: report.name, reports: [report], isNarrowed: false };
    }
    const dashboard = await createDashboardsStore(db).find(projectId, id);
    if (dashboard === undefined) return undefined;
    const tiles = dashboard.tiles.toSorted((one, other) => one.y - other.y || one.x - other.x);
    const ids = [...new Set(tiles.flatMap((tile) => ('reportId' in tile ? [tile.reportId] : [])))];
    const reports = await Promise.all(ids.map((reportId) => directory.report(projectId, reportId)));
    return {
      name: dashboard.name,
      reports: reports.filter((report) => report !== undefined),
      isNarrowed: isNarrowed(dashboard),
    };
  };
}

/** Returns the target of a stored subscription. */
export const targetOf = ({ targetKind: kind, targetId: id }: SubscriptionRow): SubscriptionTarget =>
  kind === 'threads' ? { kind } : { kind, id };

/** Whether a report is run by analytics. The runs of others are recorded by API. */
export const isRun = ({ query }: Report): boolean => query !== undefined && query !== null;
