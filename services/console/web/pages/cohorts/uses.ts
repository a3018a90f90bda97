import { useCall, useList } from '../../app/api.ts';
import { usePlace } from '../../app/project.ts';

/** Returns whether a definition names a cohort: in a clause, or as the cohort of a query. */
export function namesCohort(definition: unknown, id: string): boolean {
  if (Array.isArray(definition)) return definition.some((one) => namesCohort(one, id));
  if (typeof definition !== 'object' || definition === null) return false;
  const { op, value, cohort } = Object(definition);
  if (cohort === id) return true;
  if ((op === 'in_cohort' || op === 'not_in_cohort') && [value].flat().includes(id)) return true;
  return Object.values(definition).some((one) => namesCohort(one, id));
}

interface Use {
  /** The path of its page. */
  path: string;
  name: string;
}

interface Uses {
  flags: readonly Use[];
  reports: readonly Use[];
  dashboards: readonly Use[];
}

/** Finds the flags, reports and dashboards that name a cohort. Undefined while they load. */
export function useUses(id: string): Uses | undefined {
  const { project, may } = usePlace();
  const params = { projectId: project.id };
  const flags = useCall(
    ['listFlags', project.id],
    (client, options) => client.call('listFlags', { params }, options),
    { enabled: may('flags.read') },
  );
  const reports = useList(['listReports', project.id], async (client, cursor, options) => {
    const { reports: items, nextCursor } = await client.call(
      'listReports',
      { params, query: cursor },
      options,
    );
    return { items, nextCursor };
  });
  const dashboards = useList(['listDashboards', project.id], async (client, cursor, options) => {
    const { dashboards: items, nextCursor } = await client.call(
      'listDashboards',
      { params, query: cursor },
      options,
    );
    return { items, nextCursor };
  });
  if (reports.query.data === undefined || dashboards.query.data === undefined) return undefined;
  const path = (page: string, name: string) => `/${page}/${encodeURIComponent(name)}`;
  return {
    flags: (flags.data?.flags ?? [])
      .filter((flag) => namesCohort(flag, id))
      .map(({ key }) => ({ path: path('flags', key), name: key })),
    reports: reports.query.data
      .filter(({ query }) => namesCohort(query, id))
      .map((one) => ({ path: path('reports', one.id), name: one.name })),
    dashboards: dashboards.query.data
      .filter(({ where }) => namesCohort(where, id))
      .map((one) => ({ path: path('dashboards', one.id), name: one.name })),
  };
}
