import type { Directory } from '@switchboard/directory';
import type { Context } from 'hono';
import { Forbidden, NotFound } from './errors.ts';

/** For `implement`: access to the management of a project, which must be there and of this region. */
export function projectOfRegion(directory: Pick<Directory, 'project'>, region: string) {
  return {
    async authorize(c: Pick<Context, 'req'>): Promise<void> {
      const project = await directory.project(c.req.param('projectId') ?? '');
      if (project === undefined) throw new NotFound('There is no such project.');
      if (project.region === region) return;
      throw new Forbidden(
        `The project belongs to region ${project.region}; this deployment serves region ${region}.`,
      );
    },
  };
}

export type ProjectOfRegion = ReturnType<typeof projectOfRegion>;
