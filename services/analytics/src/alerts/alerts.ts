import { type Alert, type AlertDefinition, type AlertIncident, MAX_ALERTS } from '@switchboard/contracts';
import type { Db } from '@switchboard/database';
import { type AuditedChange, Conflict, NotFound } from '@switchboard/http';
import type { Clock } from '@switchboard/runtime';
import {
  type AlertRow,
  createAlertStatesStore,
  type IncidentRow,
  insertAlert,
  lockAlert,
  removeAlert,
  replaceAlert,
  snooze,
} from '../alert-states/store.ts';

interface AlertsOptions {
  db: Db;
  clock: Clock;
}

export type Alerts = ReturnType<typeof createAlerts>;

/** Manages the alerts of projects. */
export function createAlerts({ db, clock }: AlertsOptions) {
  const store = createAlertStatesStore(db);

  async function find(projectId: string, id: string): Promise<AlertRow> {
    const row = await store.get({ projectId, id });
    if (row === undefined) throw notFound();
    return row;
  }

  return {
    async list(projectId: string): Promise<Alert[]> {
      return (await store.list(projectId)).map(present);
    },

    async get(projectId: string, id: string): Promise<Alert & { incidents: AlertIncident[] }> {
      const row = await find(projectId, id);
      return { ...present(row), incidents: (await store.incidents(row)).map(presentIncident) };
    },

    /** Throws Conflict for one alert too many. */
    async put(change: AuditedChange, projectId: string, id: string, definition: AlertDefinition) {
      const now = clock.now();
      await change.transaction(async (tx) => {
        const alerts = await createAlertStatesStore(tx).count(projectId);
        const before = await lockAlert(tx, { projectId, id });
        if (before !== undefined) {
          await replaceAlert(tx, before, definition, { now, ended: endOf(before, definition) });
        } else if (alerts >= MAX_ALERTS) {
          throw new Conflict(`The project already has ${MAX_ALERTS} alerts; delete one of them first.`);
        } else {
          await insertAlert(tx, { projectId, id }, definition, now);
        }
      });
      return present(await find(projectId, id));
    },

    async snooze(change: AuditedChange, projectId: string, id: string, until: string | null) {
      await change.transaction(async (tx) => {
        if ((await lockAlert(tx, { projectId, id })) === undefined) throw notFound();
        await snooze(tx, { projectId, id }, until === null ? null : new Date(until), clock.now());
      });
      return present(await find(projectId, id));
    },

    async remove(change: AuditedChange, projectId: string, id: string): Promise<void> {
      await change.transaction(async (tx) => {
        const alert = await lockAlert(tx, { projectId, id });
        if (alert !== undefined) await removeAlert(tx, alert, clock.now());
      });
    },
  };
}

const notFound = () => new NotFound('Alert not found.');

/** Returns why a new definition ends the incident of an alert. Undefined if it evaluates the same. */
function endOf({ definition }: AlertRow, to: AlertDefinition): 'changed' | 'disabled' | undefined {
  if (definition.enabled && !to.enabled) return 'disabled';
  const evaluated = (one: AlertDefinition) => JSON.stringify({ ...one, name: '' });
  return evaluated(definition) === evaluated(to) ? undefined : 'changed';
}

function present(row: AlertRow): Alert {
  return {
    ...row.definition,
    id: row.id,
    enabled: row.enabled,
    state: row.evaluatedBucket === null ? 'new' : row.isFiring ? 'firing' : 'ok',
    evaluatedBucket: row.evaluatedBucket,
    value: row.value,
    error: row.error,
    snoozedUntil: row.snoozedUntil?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

function presentIncident(row: IncidentRow): AlertIncident {
  const { id, startedBucket, startedAt, value, expected, endedAt, ended, sent } = row;
  const times = { startedAt: startedAt.toISOString(), endedAt: endedAt?.toISOString() ?? null };
  return { id, startedBucket, value, expected, ended, sent, ...times };
}
