import {
  deleteFlag,
  getFlag,
  listFlags,
  listFlagVersions,
  putFlag,
  restoreFlagVersion,
} from '@switchboard/contracts';
import { flagWarnings } from '@switchboard/flag-engine';
import type { ProjectOfRegion, ServiceApp } from '@switchboard/http';
import { withWarnings } from '../rulesets/warnings.ts';
import type { Flags } from './flags.ts';

interface FlagsDeps {
  flags: Flags;
  ofProject: ProjectOfRegion;
}

export function flagsRoutes(app: ServiceApp, { flags, ofProject }: FlagsDeps): void {
  app.implement(
    listFlags,
    async (c) => c.json(await flags.list(c.req.valid('param').projectId), 200),
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
        ifNoneMatch: c.req.valid('header')['If-None-Match'],
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
}
