import {
  decideChangeRequest,
  getChangeRequest,
  listChangeRequests,
  listFlags,
  requestFlagChange,
} from '@switchboard/contracts';
import type { Directory } from '@switchboard/directory';
import {
  type Authority,
  BadRequest,
  grantOf,
  NotFound,
  type ProjectOfRegion,
  requireRegion,
  requireStillGranted,
  type ServiceApp,
} from '@switchboard/http';
import type { ChangeRequests } from './change-requests.ts';

interface ChangeRequestsDeps {
  requests: ChangeRequests;
  directory: Directory;
  region: string;
  ofProject: ProjectOfRegion;
}

/** Returns whether a person makes the request: not a service token. */
const isPerson = ({ token }: Authority) => token?.kind !== 'service';

export function changeRequestsRoutes(app: ServiceApp, deps: ChangeRequestsDeps): void {
  const { requests, directory, region, ofProject } = deps;

  /** Throws unless the caller may read the flags of the project `from`, which is of the same company. */
  async function requireSource(authority: Authority, projectId: string, from: string): Promise<void> {
    if (from === projectId) throw new BadRequest('from: the project of the flag itself');
    const [source, target] = [await directory.project(from), await directory.project(projectId)];
    if (source === undefined || source.companyId !== target?.companyId)
      throw new NotFound('from: project not found');
    const { permission } = listFlags;
    await requireStillGranted(grantOf(authority, permission), permission, source, directory);
    requireRegion(source, region);
  }

  app.implement(
    requestFlagChange,
    async (c, { change }) => {
      const { projectId } = c.req.valid('param');
      const definition = c.req.valid('json');
      const { authority } = c.var;
      if (definition.from !== undefined) await requireSource(authority, projectId, definition.from);
      const grant = grantOf(authority, requestFlagChange.permission);
      return c.json(await requests.request(change, projectId, definition, grant), 201);
    },
    ofProject,
  );

  app.implement(
    listChangeRequests,
    async (c) => {
      const { projectId } = c.req.valid('param');
      const { authority } = c.var;
      const mayDecide =
        isPerson(authority) && (await authority.has(decideChangeRequest.permission, c.env.companyId));
      const { sub } = authority.person;
      const toDecide = mayDecide ? await requests.countToDecide(projectId, sub) : 0;
      const toRead = await requests.countToRead(projectId, sub);
      const page = await requests.list(projectId, { ...c.req.valid('query'), sub });
      return c.json({ ...page, toDecide, toRead }, 200);
    },
    ofProject,
  );

  app.implement(
    getChangeRequest,
    async (c) => {
      const { projectId, requestId } = c.req.valid('param');
      return c.json(await requests.get(projectId, requestId, c.var.person.sub), 200);
    },
    ofProject,
  );

  app.implement(
    decideChangeRequest,
    async (c, { change }) => {
      const { projectId, requestId } = c.req.valid('param');
      const { authority } = c.var;
      const caller = {
        grant: grantOf(authority, decideChangeRequest.permission),
        isPerson: isPerson(authority),
      };
      return c.json(await requests.decide(change, projectId, requestId, c.req.valid('json'), caller), 200);
    },
    ofProject,
  );
}
