import { deleteCompany, deleteProject } from '@switchboard/contracts';
import type { ServiceApp } from '@switchboard/http';
import type { WriteRate } from '../companies/write-rate.ts';
import type { CompanyRemovals } from './companies.ts';
import type { ProjectRemovals } from './projects.ts';

interface RemovalsDeps {
  companies: Pick<CompanyRemovals, 'remove'>;
  projects: ProjectRemovals;
  rate: WriteRate;
}

export function removalsRoutes(app: ServiceApp, { companies, projects, rate }: RemovalsDeps): void {
  app.implement(
    deleteCompany,
    async (c, { change }) => {
      await companies.remove(change, c.req.valid('param').companyId);
      return c.body(null, 204);
    },
    rate,
  );
  app.implement(
    deleteProject,
    async (c, { change }) => {
      await projects.remove(change, c.req.valid('param').projectId);
      return c.body(null, 204);
    },
    rate,
  );
}
