import { z } from '@hono/zod-openapi';
import { id, name, text, timestamp } from '../fields/fields.ts';
import { managementOf, projectParams } from '../management/common.ts';
import { deleted, jsonBody, jsonResponse } from '../operation/bodies.ts';
import { operation } from '../operation/operation.ts';
import { alertQuery, type FunnelQuery } from './query.ts';

/** The topic on which analytics publishes when the incidents of alerts begin and end. */
export const ALERTS_TOPIC = 'alerts';

/** The maximum number of alerts of a project. */
export const MAX_ALERTS = 50;

const finite = z.number().min(-1e15).max(1e15);

const threshold = z
  .strictObject({
    kind: z.literal('threshold'),
    above: finite.optional(),
    below: finite.optional(),
    recoverAt: finite.optional().openapi({
      description:
        'An incident ends only at this value: no greater than above, or no less than below. Default: the same value.',
    }),
  })
  .refine(({ above, below }) => (above === undefined) !== (below === undefined), {
    message: 'send above or below, and not both',
  })
  .refine(({ above, below, recoverAt }) => recoverAt === undefined || isSafe(recoverAt, above, below), {
    path: ['recoverAt'],
    message: 'must be no greater than above, or no less than below',
  });

const change = z.strictObject({
  kind: z.literal('change'),
  direction: z.enum(['up', 'down', 'both']),
  percent: z.number().min(0.1).max(1_000_000),
  against: z.enum(['previous', 'day', 'week']).optional().openapi({
    description: 'The previous bucket (the default), or the same time a day or a week before.',
  }),
});

const missing = z
  .strictObject({ kind: z.literal('missing') })
  .openapi({ description: 'The value is 0, or there is none.' });

const anomaly = z
  .strictObject({
    kind: z.literal('anomaly'),
    direction: z.enum(['up', 'down', 'both']),
    sensitivity: z.number().min(1).max(20).optional().openapi({
      description: 'The deviation at which the alert fires, in robust standard deviations. Default: 4.',
    }),
  })
  .openapi({
    description: 'The value deviates from those of the same weekday and hour in the eight weeks before.',
  });

/** When a value is a problem. */
export const alertRule = z.discriminatedUnion('kind', [threshold, change, missing, anomaly]);
export type AlertRule = z.infer<typeof alertRule>;

/** A bucket of a funnel is complete once its window has ended. */
const MAX_WINDOW_DAYS = 31;
const UNITS_PER_DAY = { second: 86_400, minute: 1440, hour: 24, day: 1, week: 1 / 7 } as const;

const daysOf = (window: FunnelQuery['window']) =>
  window === undefined ? 0 : window.count / UNITS_PER_DAY[window.unit];

const isSafe = (value: number, above?: number, below?: number) =>
  above === undefined ? value >= (below ?? value) : value <= above;

const inARow = z.int().min(1).max(24).optional();

export const alertDefinition = z
  .object({
    name: name(200).openapi({ example: 'Orders collapse' }),
    query: alertQuery.openapi({
      description:
        'A trends query without a breakdown, or a funnel of days, weeks or months. Its range, comparison and running total are ignored: the alert evaluates one bucket of its interval after the other. A funnel has the values of over_time, whether its view is that or steps.',
    }),
    series: z.int().min(0).max(11).optional().openapi({
      description: 'The evaluated series of a trends query without a formula, counted from 0. Default: 0.',
    }),
    step: z.int().min(1).max(19).optional().openapi({
      description:
        'The evaluated step of a funnel, counted from 0: the percentage of people of the first step who reach it. Default: the last.',
    }),
    rule: alertRule,
    fireAfter: inARow.openapi({ description: 'The buckets in a row that begin an incident. Default: 1.' }),
    recoverAfter: inARow.openapi({ description: 'The buckets in a row that end it. Default: 1.' }),
    enabled: z.boolean().default(true),
  })
  .superRefine(({ query, series = 0, step = 1, rule }, context) => {
    for (const { path, message } of faultsOf(query, { series, step, rule })) {
      context.addIssue({ code: 'custom', path, message });
    }
  })
  .openapi('AlertDefinition');
export type AlertDefinition = z.infer<typeof alertDefinition>;

interface Chosen {
  series: number;
  step: number;
  rule: AlertRule;
}

function faultsOf(query: z.infer<typeof alertQuery>, { series, step, rule }: Chosen) {
  const faults: { path: string[]; message: string }[] = [];
  const fault = (path: string[], message: string) => faults.push({ path, message });
  if (query.kind === 'trends') {
    if (query.breakdown !== undefined) fault(['query', 'breakdown'], 'not in an alert; remove it');
    const count = query.formula === undefined ? query.series.length : 1;
    if (series >= count) fault(['series'], `not in the query, which shows ${count}`);
  } else {
    const { interval, steps, view, breakdown } = query;
    if (breakdown !== undefined) fault(['query', 'breakdown'], 'not in an alert; remove it');
    if (interval === 'hour') fault(['query', 'interval'], 'not for a funnel; use day, week or month');
    if (daysOf(query.window) > MAX_WINDOW_DAYS) {
      fault(['query', 'window'], `longer than ${MAX_WINDOW_DAYS} days; use a shorter one`);
    }
    if (view === 'time_to_convert') fault(['query', 'view'], 'not in an alert; use steps');
    if (step >= steps.length) fault(['step'], `not in the query, which has ${steps.length}`);
  }
  const { interval = 'day' } = query;
  if (rule.kind !== 'change') return faults;
  if (rule.against === 'day' && interval !== 'hour' && interval !== 'day') {
    fault(['rule', 'against'], 'not for this interval; use previous');
  }
  if (rule.against === 'week' && interval === 'month') {
    fault(['rule', 'against'], 'not for this interval; use previous');
  }
  return faults;
}

export const alertBucket = z.string().openapi({
  description: 'The first day or hour of the bucket, in the time zone of the query.',
  example: '2026-03-01T09:00',
});
export const alertValue = z.number().nullable();
export const alertExpected = z.number().nullable().openapi({
  description: 'The limit, the value compared with, or the median of an anomaly. null if there is none.',
});

export const alert = z
  .object({
    id,
    ...alertDefinition.shape,
    enabled: z.boolean(),
    state: z.enum(['new', 'ok', 'firing']).openapi({ description: 'new: not evaluated yet.' }),
    evaluatedBucket: alertBucket.nullable(),
    value: alertValue,
    error: z.string().nullable().openapi({ description: 'Why the last evaluation failed.' }),
    snoozedUntil: timestamp.nullable(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .openapi('Alert');
export type Alert = z.infer<typeof alert>;

const ended = z
  .enum(['recovered', 'changed', 'disabled'])
  .openapi({ description: 'Why the incident ended: the value, or a change of the alert.' });

export const alertIncident = z
  .object({
    id,
    startedBucket: alertBucket,
    startedAt: timestamp,
    value: alertValue,
    expected: alertExpected,
    endedAt: timestamp.nullable(),
    ended: ended.nullable(),
    sent: z.boolean().openapi({ description: 'false if it began while the alert was snoozed.' }),
  })
  .openapi('AlertIncident');
export type AlertIncident = z.infer<typeof alertIncident>;

/** The JSON value of a record on `alerts`. A record that is published twice has the same incident and type. */
export const alertRecord = z.object({
  type: z.enum(['alert.fired', 'alert.recovered']),
  at: z.iso.datetime({ precision: 3 }),
  projectId: text({ min: 1, max: 200 }),
  alertId: text({ min: 1, max: 200 }),
  name: z.string(),
  incidentId: text({ min: 1, max: 200 }),
  rule: alertRule,
  bucket: alertBucket,
  value: alertValue,
  expected: alertExpected,
  /** Absent while the incident lasts. */
  ended: z.enum([...ended.options, 'deleted']).optional(),
});
export type AlertRecord = z.infer<typeof alertRecord>;

const common = managementOf('analytics');
const alertId = id.openapi({ example: 'orders-collapse' });
const params = z.object({ ...projectParams, alertId });
const ALERTS = '/management/v1/projects/{projectId}/alerts';
const ALERT = `${ALERTS}/{alertId}` as const;
const noAlert = { 404: { description: 'Project or alert not found.', message: 'Alert not found.' } };

export const alertExample: z.input<typeof alertDefinition> = {
  name: 'Orders collapse',
  query: {
    kind: 'trends',
    range: { last: 7, unit: 'day' },
    interval: 'hour',
    series: [{ event: 'order placed' }],
  },
  rule: { kind: 'change', direction: 'down', percent: 50 },
};

export const listAlerts = operation({
  ...common,
  operationId: 'listAlerts',
  permission: 'alerts.read',
  method: 'get',
  path: ALERTS,
  summary: 'List the alerts of a project',
  request: { params: z.object(projectParams) },
  responses: { 200: jsonResponse('The alerts, sorted by id.', z.object({ alerts: z.array(alert) })) },
});

export const getAlert = operation({
  ...common,
  operationId: 'getAlert',
  permission: 'alerts.read',
  method: 'get',
  path: ALERT,
  summary: 'Get an alert with its last incidents',
  request: { params },
  responses: {
    200: jsonResponse(
      'The alert.',
      alert.extend({
        incidents: z.array(alertIncident).openapi({ description: 'Newest first, up to 100.' }),
      }),
    ),
  },
  errors: noAlert,
});

export const putAlert = operation({
  ...common,
  operationId: 'putAlert',
  permission: 'alerts.write',
  method: 'put',
  path: ALERT,
  summary: 'Create or replace an alert',
  description:
    'It is evaluated for the last complete bucket at once. A change of what it evaluates ends its incident.',
  request: { params, body: jsonBody(alertDefinition, alertExample) },
  responses: { 200: jsonResponse('The stored alert.', alert) },
  errors: {
    404: 'Project not found.',
    409: {
      description: 'The project has as many alerts as it may have.',
      message: `The project already has ${MAX_ALERTS} alerts; delete one of them first.`,
    },
  },
});

export const deleteAlert = operation({
  ...common,
  operationId: 'deleteAlert',
  permission: 'alerts.write',
  method: 'delete',
  path: ALERT,
  summary: 'Delete an alert with its incidents',
  request: { params },
  responses: { 204: deleted },
});

export const snoozeAlert = operation({
  ...common,
  operationId: 'snoozeAlert',
  permission: 'alerts.write',
  method: 'post',
  path: `${ALERT}/snooze`,
  summary: 'Send no message of an alert until a time',
  description:
    'The alert is still evaluated. An incident that lasts longer than the snooze is sent when it ends.',
  request: {
    params,
    body: jsonBody(z.object({ until: timestamp.nullable().openapi({ description: 'null: ends it.' }) }), {
      until: '2026-03-02T09:00:00.000Z',
    }),
  },
  responses: { 200: jsonResponse('The alert.', alert) },
  errors: noAlert,
});
