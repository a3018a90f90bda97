import { ALERTS_TOPIC, type AlertRecord, alertRecord } from '@switchboard/contracts';
import type { Happening } from './intake.ts';

/** The beginnings and ends of incidents of alerts, which analytics publishes. */
export const alerts = {
  group: 'delivery.alerts',
  topic: ALERTS_TOPIC,
  schema: alertRecord,
  invalid: 'not an incident of an alert',
  happeningsOf: (record: AlertRecord) => [happeningOf(record)],
};

function happeningOf({ type, at, ...data }: AlertRecord): Happening {
  const { projectId, alertId, incidentId } = data;
  const ids = { projectId, alertId, incidentId };
  return {
    projectId,
    acceptedAt: at,
    type,
    occurrence: { type, at, subject: `alert:${alertId}`, sourceId: incidentId, ids, data },
  };
}
