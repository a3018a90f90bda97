import { getPeopleUsage } from '@switchboard/contracts';
import type { ProjectOfRegion, ServiceApp } from '@switchboard/http';

interface PeopleUsageDeps {
  /** How long people are kept. Undefined: until they are erased. */
  days: number | undefined;
  ofProject: ProjectOfRegion;
}

export function peopleUsageRoutes(app: ServiceApp, { days, ofProject }: PeopleUsageDeps): void {
  const retention = [{ data: 'people' as const, setting: 'PEOPLE_RETENTION_DAYS', days: days ?? null }];
  app.implement(getPeopleUsage, (c) => c.json({ retention }, 200), ofProject);
}
