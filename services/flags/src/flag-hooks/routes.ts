import {
  callFlagHook,
  createFlagHook,
  deleteFlagHook,
  isObject,
  listFlagHooks,
} from '@switchboard/contracts';
import {
  type AuditTrail,
  bearer,
  type OperationEnv,
  type ProjectOfRegion,
  type ServiceApp,
} from '@switchboard/http';
import type { Context } from 'hono';
import type { FlagHooks } from './flag-hooks.ts';

interface FlagHooksDeps {
  hooks: FlagHooks;
  audit: Pick<AuditTrail, 'begin'>;
  ofProject: ProjectOfRegion;
}

export function flagHooksRoutes(app: ServiceApp, { hooks, audit, ofProject }: FlagHooksDeps): void {
  app.implement(
    listFlagHooks,
    async (c) => c.json({ hooks: await hooks.list(c.req.valid('param')) }, 200),
    ofProject,
  );

  app.implement(
    createFlagHook,
    async (c, { change }) =>
      c.json(await hooks.create(change, c.req.valid('param'), c.req.valid('json').name), 201),
    ofProject,
  );

  app.implement(
    deleteFlagHook,
    async (c, { change }) => {
      const { hookId, ...at } = c.req.valid('param');
      await hooks.remove(change, at, hookId);
      return c.body(null, 204);
    },
    ofProject,
  );

  app.implement(
    callFlagHook,
    async (c, { access, input }) => {
      const switched = !input.isResolved && (await hooks.switchOff(access));
      return c.json({ switched }, 200);
    },
    {
      authorize(c: Context<OperationEnv>) {
        const { requestId, address } = c.env;
        const call = { parameter: (name: string) => c.req.param(name), requestId, address };
        const audited = audit.begin(callFlagHook, call);
        return hooks.open({ id: c.req.param('hookId') ?? '', secret: bearer(c), address, audited });
      },
      // Monitors send bodies of any shape, which are no reason to leave a flag on.
      parser: {
        parse: (bytes: Buffer) => ({ isResolved: isResolved(bytes), values: 0 }),
        convert: ({ status }: { status?: unknown }) => ({ isResolved: status === RESOLVED }),
      },
    },
  );
}

/** The status of the notifications that Grafana and Alertmanager send when an alert is over. */
const RESOLVED = 'resolved';

function isResolved(bytes: Buffer): boolean {
  try {
    const body: unknown = JSON.parse(bytes.toString('utf8'));
    return isObject(body) && 'status' in body && body.status === RESOLVED;
  } catch {
    return false;
  }
}
