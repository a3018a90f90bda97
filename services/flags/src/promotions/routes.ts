import { promoteFlag } from '@switchboard/contracts';
import type { Directory } from '@switchboard/directory';
import {
  BadRequest,
  grantOf,
  NotFound,
  type ProjectOfRegion,
  requireRegion,
  requireStillGranted,
  type ServiceApp,
} from '@switchboard/http';
import { etagOf } from '../flag-history/history.ts';
import type { EditFlagOptions } from '../flags/edit-flag.ts';
import { promote } from './promote.ts';

interface PromotionsDeps extends EditFlagOptions {
  directory: Directory;
  region: string;
  ofProject: ProjectOfRegion;
}

export function promotionsRoutes(app: ServiceApp, deps: PromotionsDeps): void {
  const { directory, region, ofProject } = deps;
  app.implement(
    promoteFlag,
    async (c, { change }) => {
      const path = c.req.valid('param');
      const { to, reason, ifVersion } = c.req.valid('json');
      if (to === path.projectId) throw new BadRequest('to: the project of the flag itself');
      const [source, target] = [await directory.project(path.projectId), await directory.project(to)];
      if (target === undefined || target.companyId !== source?.companyId) {
        throw new NotFound('to: project not found');
      }
      const grant = grantOf(c.var.authority, promoteFlag.permission);
      await requireStillGranted(grant, promoteFlag.permission, target, directory);
      requireRegion(target, region);
      const ifMatch = ifVersion === undefined ? undefined : etagOf(ifVersion);
      const edit = { author: c.var.person.sub, reason, ifMatch };
      const { flag, etag } = await promote(change, deps, path, to, edit);
      return c.json(flag, 200, { ETag: etag });
    },
    ofProject,
  );
}
