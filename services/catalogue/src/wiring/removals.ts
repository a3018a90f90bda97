import type { WriteRate } from '../companies/write-rate.ts';
import type { Catalogue } from '../config.ts';
import type { Beginnings } from '../erasures/beginnings.ts';
import type { Outbox } from '../outbox/outbox.ts';
import { createCompanyRemovals } from '../removals/companies.ts';
import { createProjectRemovals } from '../removals/projects.ts';
import { removalsRoutes } from '../removals/routes.ts';

interface Needs {
  outbox: Outbox;
  beginnings: Beginnings;
  rate: WriteRate;
}

/** Opens the removals of companies and projects. */
export function openRemovals({ app, db, logger, run }: Catalogue, { rate, ...needs }: Needs): void {
  const companies = createCompanyRemovals({ db, logger, ...needs });
  run(companies);
  removalsRoutes(app, { companies, projects: createProjectRemovals({ db, ...needs }), rate });
}
