import { getSharedReport } from '@switchboard/contracts';
import type { ServiceApp } from '@switchboard/service-kit';
import type { TypedResponse } from 'hono';
import { keepPrivate } from './keep-private.ts';
import type { SharedReports } from './shared-reports.ts';

export function sharedReportsRoutes(
  app: ServiceApp,
  { sharedReports }: { sharedReports: SharedReports },
): void {
  keepPrivate(app, '/v1/shared-reports/*');
  app.implement(getSharedReport, async (c) => {
    const { run } = await sharedReports.read(c.req.valid('param').token, c.var.address);
    return respondWithReport(run?.report ?? 'null');
  });
}

/** The report is sent as the JSON text that is stored: parsing it only to serialise it again would cost both. */
function respondWithReport(json: string): Response & TypedResponse<{ report: JsonValue }, 200, 'json'>;
function respondWithReport(json: string): Response {
  return new Response(`{"report":${json}}`, {
    headers: { 'Content-Type': 'application/json; charset=utf-8' },
  });
}

type JsonValue = string | number | boolean | null | JsonValue[] | { [name: string]: JsonValue };
