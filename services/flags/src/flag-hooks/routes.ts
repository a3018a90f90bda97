import { callFlagHook, createFlagHook, deleteFlagHook, listFlagHooks } from '@switchboard/contracts';
import {
  type AuditTrail,
  bearer,
  type OperationEnv,
  type ProjectOfRegion,
  type ServiceApp,
} from '@switchboard/http';
import type { Context } from 'hono';
import { z } from 'zod';
import type { FlagHooks } from './flag-hooks.ts';
import { signatureOf } from './signatures.ts';

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
      c.json(await hooks.create(change, c.req.valid('param'), c.req.valid('json')), 201),
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
      await hooks.verify(access, input.body);
      const switched = !input.isResolved && (await hooks.switchOff(access));
      return c.json({ switched }, 200);
    },
    {
      authorize(c: Context<OperationEnv>) {
        const { requestId, address } = c.env;
        const call = { parameter: (name: string) => c.req.param(name), requestId, address };
        const audited = audit.begin(callFlagHook, call);
        const signature = bearer(c) === undefined ? signatureOf((name) => c.req.header(name)) : undefined;
        return hooks.open({
          id: c.req.param('hookId') ?? '',
          secret: bearer(c),
          signature,
          address,
          audited,
        });
      },
      // Monitors send bodies of any shape, which are no reason to leave a flag on.
      parser: {
        parse(bytes: Buffer) {
          const body = bytes.toString('utf8');
          return { body, isResolved: isResolved(body), values: 0 };
        },
        // Only without a body.
        convert: () => ({ body: '', isResolved: false }),
      },
    },
  );
}

/**
 * The fields that say that an alert is over: `status` of Grafana and Alertmanager, `action` of Sentry, and `type` of the
 * webhooks of Switchboard.
 */
const OVER = z.union([
  z.looseObject({ status: z.literal('resolved') }),
  z.looseObject({ action: z.literal('resolved') }),
  z.looseObject({ type: z.literal('alert.recovered') }),
]);

function isResolved(body: string): boolean {
  try {
    return OVER.safeParse(JSON.parse(body)).success;
  } catch {
    return false;
  }
}
