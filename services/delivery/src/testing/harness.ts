import { auditTopic } from '@switchboard/audit';
import {
  ALERTS_TOPIC,
  type AuditEntry,
  COHORT_CHANGES_TOPIC,
  CONVERSATIONS_TOPIC,
  ingestionTopics,
  REPORT_RUNS_TOPIC,
} from '@switchboard/contracts';
import { createDirectoryPublisher } from '@switchboard/directory/testing';
import { openPostgresLog } from '@switchboard/event-log';
import { type Env, eventually, openHarness, type Receiver, startReceiver } from '@switchboard/testkit';
import { afterAll } from 'vitest';
import { deliveryService } from '../service.ts';
import type { SendingConstants } from '../wiring/sending.ts';

const HOUR_MS = 3_600_000;
export const WEBHOOK_SECRET = 'the webhook secret of a test with 32 or more characters';

interface StartOptions {
  env?: Env;
  clock?: { now(): Date };
  constants?: SendingConstants;
}

/** Starts the service with the topics that other services create. Receivers listen on 127.0.0.1. */
export async function useDelivery({ env = {}, clock, constants = {} }: StartOptions = {}) {
  const harness = await openHarness({
    services: { delivery: deliveryService },
    env: { LOG_LEVEL: 'error', WEBHOOK_SECRET, WEBHOOK_PRIVATE_NETWORKS: '127.0.0.1/32', ...env },
    ...(clock === undefined ? {} : { clock }),
  });
  afterAll(() => harness.stop());
  const log = openPostgresLog({ url: harness.logUrl });
  harness.defer(() => log.close());
  const directory = await createDirectoryPublisher(log);
  const topic = { partitions: 1, replication: 1, cleanup: 'delete', retentionMs: HOUR_MS } as const;
  await log.createTopics([
    { ...topic, name: ingestionTopics.events },
    { ...topic, name: REPORT_RUNS_TOPIC },
    { ...topic, name: ALERTS_TOPIC },
    { ...topic, name: COHORT_CHANGES_TOPIC },
    { ...topic, name: CONVERSATIONS_TOPIC },
    auditTopic(1),
  ]);
  const start = (more: Env = {}, own: SendingConstants = constants) =>
    harness.start('delivery', more, { constants: own });
  const first = await start();

  const manage = (method: string, path: string, body?: unknown) =>
    harness.manage('delivery', method, path, body);

  async function createProject() {
    const project = await directory.putProject({ members: ['ada'] });
    await eventually(async () => {
      const { status } = await manage('GET', `/projects/${project.id}/webhooks`);
      if (status !== 200) throw new Error('the project is not applied yet');
    });
    return project;
  }

  /** Creates a webhook that sends to a receiver, and returns its path and secret. */
  async function createWebhook(projectId: string, { url }: Pick<Receiver, 'url'>, more: object = {}) {
    const path = `/projects/${projectId}/webhooks/hook-${++webhooks}`;
    const { body, status } = await manage('PUT', path, {
      url,
      types: ['event'],
      events: [{ event: 'paid' }],
      ...more,
    });
    if (status !== 200) throw new Error(JSON.stringify(body));
    const secret: string = body.secret;
    return { path, secret };
  }
  let webhooks = 0;

  let published = 0;
  /** Publishes events as ingestion does. Returns their ids. */
  async function publishEvents(projectId: string, events: readonly object[]): Promise<string[]> {
    const now = new Date().toISOString();
    const rows = events.map((event) => ({
      event_id: `event-${++published}`,
      event_name: 'paid',
      distinct_id: 'ada',
      schema_version: 1,
      timestamp: now,
      occurred_at: now,
      ...event,
    }));
    const headers = { project: projectId, received_at: now, sent_at: now, count: String(rows.length) };
    const value = Buffer.from(rows.map((row) => JSON.stringify(row)).join('\n'));
    await log.publish(ingestionTopics.events, [{ partition: 0, key: projectId, value, headers }]);
    return rows.map(({ event_id }) => event_id);
  }

  async function publishRecord(name: string, key: string | null, value: object): Promise<void> {
    const record = { partition: 0, key, value: Buffer.from(JSON.stringify(value)), headers: {} };
    await log.publish(name, [record]);
  }

  const publishAudit = (entry: AuditEntry) => publishRecord('audit', null, entry);

  /** Starts a receiver that closes after the tests of the file. */
  async function receiver(...given: Parameters<typeof startReceiver>): Promise<Receiver> {
    const started = await startReceiver(...given);
    harness.defer(started.close);
    return started;
  }

  return {
    ...{ harness, log, directory, manage, createProject, createWebhook, start, receiver },
    ...{ publishEvents, publishAudit, publishRecord },
    url: first.url,
    stopFirst: first.stop,
    databaseUrl: await harness.databaseUrl('delivery'),
  };
}
