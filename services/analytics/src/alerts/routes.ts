import {
  deleteAlert,
  getAlert,
  listAlerts,
  previewAlert,
  putAlert,
  snoozeAlert,
} from '@switchboard/contracts';
import type { ProjectOfRegion, ServiceApp } from '@switchboard/http';
import type { Clock } from '@switchboard/runtime';
import type { Insights } from '../insights/insights.ts';
import type { Respond } from '../results/respond.ts';
import { jsonOf, type Results } from '../results/results.ts';
import type { Watermark } from '../watermark/watermark.ts';
import type { Alerts } from './alerts.ts';
import { preview } from './evaluate.ts';

interface AlertsDeps {
  alerts: Alerts;
  insights: Pick<Insights, 'ask'>;
  results: Results;
  watermark: Pick<Watermark, 'asOf'>;
  clock: Clock;
  respond: Respond;
  ofProject: ProjectOfRegion;
}

/** Previews of one minute are the same. */
const PREVIEW_MS = 60_000;

export function alertsRoutes(app: ServiceApp, deps: AlertsDeps): void {
  const { alerts, insights, results, watermark, clock, respond, ofProject } = deps;
  app.implement(
    listAlerts,
    async (c) => c.json({ alerts: await alerts.list(c.req.valid('param').projectId) }, 200),
    ofProject,
  );

  app.implement(
    getAlert,
    async (c) => {
      const { projectId, alertId } = c.req.valid('param');
      return c.json(await alerts.get(projectId, alertId), 200);
    },
    ofProject,
  );

  app.implement(
    putAlert,
    async (c, { change }) => {
      const { projectId, alertId } = c.req.valid('param');
      return c.json(await alerts.put(change, projectId, alertId, c.req.valid('json')), 200);
    },
    ofProject,
  );

  app.implement(
    snoozeAlert,
    async (c, { change }) => {
      const { projectId, alertId } = c.req.valid('param');
      return c.json(await alerts.snooze(change, projectId, alertId, c.req.valid('json').until), 200);
    },
    ofProject,
  );

  app.implement(
    deleteAlert,
    async (c, { change }) => {
      const { projectId, alertId } = c.req.valid('param');
      await alerts.remove(change, projectId, alertId);
      return c.body(null, 204);
    },
    ofProject,
  );

  app.implement(previewAlert, async (c) => {
    const { projectId } = c.req.valid('param');
    const definition = c.req.valid('json');
    const asOf = watermark.asOf();
    const inputs = { insights, projectId, now: clock.now().getTime(), asOf };
    const parts = ['alert preview', projectId, definition, Math.floor(asOf / PREVIEW_MS)];
    return respond(
      c,
      results.of(parts, asOf, async () => jsonOf(await preview(definition, inputs))),
    );
  });
}
