import { ingestEvents } from '@switchboard/contracts';
import type { Quota, ServiceApp } from '@switchboard/service-kit';
import { eventLines } from './event-lines.ts';
import type { Events } from './events.ts';
import { scanBatch } from './scan/scan-batch.ts';

export function eventsRoutes(app: ServiceApp, events: Events, quota: Quota): void {
  app.implement(
    ingestEvents,
    async (c) => {
      const accepted = await events.accept(c.get('project').id, eventLines(c.req.valid('json')));
      return c.json({ accepted }, 202);
    },
    {
      quota,
      scan(bytes) {
        const batch = scanBatch(bytes);
        if (batch === undefined) return undefined;
        return {
          values: batch.values,
          handler: async (c) => c.json({ accepted: await events.accept(c.get('project').id, batch) }, 202),
        };
      },
    },
  );
}
