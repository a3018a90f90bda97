import {
  deleteFlag,
  getFlag,
  listFlags,
  listFlagVersions,
  promoteFlag,
  putFlag,
  restoreFlagVersion,
} from '@switchboard/contracts';
import type { Directory } from '@switchboard/directory';
import { flagWarnings } from '@switchboard/flag-engine';
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
import { withWarnings } from '../rulesets/warnings.ts';
import type { Flags } from './flags.ts';

interface FlagsDeps {
  flags: Flags;
  directory: Directory;
  region: string;
  ofProject: ProjectOfRegion;
}

export function flagsRoutes(app: ServiceApp, { flags, directory, region, ofProject }: FlagsDeps): void {
  app.implement(
    listFlags,
    async (c) => c.json({ flags: await flags.list(c.req.valid('param').projectId) }, 200),
    ofProject,
  );

  app.implement(
    getFlag,
    async (c) => {
      const { flag, etag } = await flags.get(c.req.valid('param'));
      return c.json(flag, 200, { ETag: etag });
    },
    ofProject,
  );

  app.implement(
    putFlag,
    async (c, { change }) => {
      const { flag, etag } = await flags.put(change, c.req.valid('param'), c.req.valid('json'), {
        author: c.var.person.sub,
        reason: c.req.valid('query').reason,
        ifMatch: c.req.valid('header')['If-Match'],
      });
      return c.json(withWarnings(flag, flagWarnings(flag)), 200, { ETag: etag });
    },
    ofProject,
  );

  app.implement(
    deleteFlag,
    async (c, { change }) => {
      await flags.remove(change, c.req.valid('param'), {
        author: c.var.person.sub,
        reason: c.req.valid('query').reason,
        ifMatch: c.req.valid('header')['If-Match'],
      });
      return c.body(null, 204);
    },
    ofProject,
  );

  app.implement(
    listFlagVersions,
    async (c) => c.json(await flags.versions(c.req.valid('param'), c.req.valid('query')), 200),
    ofProject,
  );

  app.implement(
    restoreFlagVersion,
    async (c, { change }) => {
      const { version, reason } = c.req.valid('json');
      const edit = { author: c.var.person.sub, reason, ifMatch: c.req.valid('header')['If-Match'] };
      const { flag, etag } = await flags.restore(change, c.req.valid('param'), version, edit);
      return c.json(flag, 200, { ETag: etag });
    },
    ofProject,
  );

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
      const { flag, etag } = await flags.promote(change, path, to, edit);
      return c.json(flag, 200, { ETag: etag });
    },
    ofProject,
  );
}
