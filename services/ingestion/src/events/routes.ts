import { ingestEvents } from '@switchboard/contracts';
import type { Quota, ServiceApp } from '@switchboard/service-kit';
import type { Context } from 'hono';
import { eventLines } from './event-lines.ts';
import type { Events } from './events.ts';
import { scanBatch } from './scan/scan-batch.ts';

export function eventsRoutes(app: ServiceApp, events: Events, quota: Quota): void {
  app.implement(
    ingestEvents,
    (c) => respond(c, events.accept(c.get('project').id, eventLines(c.req.valid('json')))),
    {
      quota,
      scan(bytes) {
        const batch = scanBatch(bytes);
        if (batch === undefined) return undefined;
        return {
          values: batch.values,
          handler: (c) => respond(c, events.accept(c.get('project').id, batch)),
        };
      },
    },
  );
}

/** Apart, and its caller not async: what waits here would keep the batch and the body in memory meanwhile. */
async function respond(c: Context, accepting: Promise<number>) {
  return c.json({ accepted: await accepting }, 202);
}
