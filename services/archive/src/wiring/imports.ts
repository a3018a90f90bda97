import type { ProjectOfRegion } from '@switchboard/http';
import type { ObjectStore } from '@switchboard/object-store';
import type { Archive } from '../config.ts';
import { createImports } from '../imports/imports.ts';
import { importsRoutes } from '../imports/routes.ts';
import type { ArchiveThreads } from './threads.ts';

/** Opens imports. They share the thread of merges, so that they never delay events. */
export function openImports(
  { app, db, clock }: Archive,
  {
    objects,
    merging,
    ofProject,
  }: { objects: ObjectStore; merging: ArchiveThreads; ofProject: ProjectOfRegion },
): void {
  importsRoutes(app, { imports: createImports({ db, objects, threads: merging, clock }), ofProject });
}
