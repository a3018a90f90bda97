import {
  getImport,
  IMPORT_PART_MAX_BYTES,
  listImports,
  putImport,
  putImportPart,
} from '@switchboard/contracts';
import type { ProjectOfRegion, ServiceApp } from '@switchboard/http';
import type { Imports } from './imports.ts';

interface ImportsRoutesOptions {
  imports: Imports;
  ofProject: ProjectOfRegion;
}

export function importsRoutes(app: ServiceApp, { imports, ofProject }: ImportsRoutesOptions): void {
  app.implement(
    putImport,
    async (c, { change }) =>
      c.json(await imports.put(change, c.req.valid('param'), c.req.valid('json')), 200),
    ofProject,
  );

  app.implement(getImport, async (c) => c.json(await imports.get(c.req.valid('param')), 200), ofProject);

  app.implement(
    listImports,
    async (c) => {
      const { projectId } = c.req.valid('param');
      const { rows, nextCursor } = await imports.list(projectId, c.req.valid('query'));
      return c.json({ imports: rows, nextCursor }, 200);
    },
    ofProject,
  );

  app.implement(
    putImportPart,
    async (c, { change }) => {
      const reservation = app.bodies.reserve(c);
      try {
        const value = await app.bodies.read(c, reservation, { maxBytes: IMPORT_PART_MAX_BYTES });
        const { sha256 } = c.req.valid('query');
        return c.json(await imports.putPart(change, c.req.valid('param'), { sha256, value }), 200);
      } finally {
        reservation.release();
      }
    },
    ofProject,
  );
}
