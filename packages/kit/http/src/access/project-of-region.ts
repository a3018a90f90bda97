import type { Directory, Project } from '@switchboard/directory';
import type { Context } from 'hono';
import { Forbidden, NotFound } from '../exchange/errors.ts';

/** Throws Forbidden for a project of another region, since its data is not stored here. */
export function requireRegion(project: Pick<Project, 'region'>, region: string): void {
  if (project.region === region) return;
  throw new Forbidden(
    `The project belongs to region ${project.region}; this deployment serves region ${region}.`,
  );
}

/**
 * Returns a check for `implement` that rejects management of unknown projects and projects of another region, and
 * returns the project.
 */
export function projectOfRegion(directory: Pick<Directory, 'project'>, region: string) {
  return {
    async authorize(c: Pick<Context, 'req'>): Promise<Project> {
      const project = await directory.project(c.req.param('projectId') ?? '');
      if (project === undefined) throw new NotFound('Project not found.');
      requireRegion(project, region);
      return project;
    },
  };
}

export type ProjectOfRegion = ReturnType<typeof projectOfRegion>;
