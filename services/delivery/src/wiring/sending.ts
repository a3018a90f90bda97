import type { Tx } from '@switchboard/database';
import { createSender, type Encryption, strangersNames } from '@switchboard/runtime';
import { createAttempt } from '../attempts/send.ts';
import { createAttemptsStore, type Disabled } from '../attempts/store.ts';
import { createSendWorker, type SendWorker } from '../attempts/worker.ts';
import type { BodyFor } from '../chat/bodies.ts';
import type { Delivery } from '../config.ts';

const TIMEOUT_MS = 15_000;
const MAX_RESPONSE_BYTES = 1_000;

/** Constants that tests replace. */
export interface SendingConstants {
  schedule?: readonly number[];
  leaseMs?: number;
}

/** Opens the worker that sends messages. */
export function openSending(
  service: Delivery,
  { encryption, bodyFor }: { encryption: Encryption; bodyFor: BodyFor },
  constants: SendingConstants,
): SendWorker {
  const { audit, clock, config, db, directory, metrics, run } = service;
  const store = createAttemptsStore(db);
  const finished = metrics.counterBy(
    'switchboard_webhook_attempts_total',
    'Attempts to send a message to a webhook: delivered, failed for good, or retried later.',
    ['outcome'],
  );
  for (const outcome of ['delivered', 'failed', 'retried']) finished.add([outcome], 0);
  metrics.gaugeBy(
    'switchboard_webhook_messages_waiting',
    'Messages that wait for an attempt.',
    [],
    async () => {
      const { waiting } = await store.backlog(clock.now());
      return [{ labels: {}, value: waiting }];
    },
  );
  metrics.gaugeBy(
    'switchboard_webhook_overdue_seconds',
    'How long the oldest due message of an enabled webhook waits.',
    [],
    async () => {
      const { overdueSeconds } = await store.backlog(clock.now());
      return [{ labels: {}, value: overdueSeconds }];
    },
  );
  const send = createSender({
    config,
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_RESPONSE_BYTES,
    excess: 'cut',
    privateNetworks: { setting: 'WEBHOOK_PRIVATE_NETWORKS', networks: config.WEBHOOK_PRIVATE_NETWORKS },
    resolve: strangersNames(),
  });

  async function onDisabled(
    tx: Tx,
    webhook: { projectId: string; id: string },
    reason: Disabled,
  ): Promise<void> {
    const project = await directory.project(webhook.projectId);
    if (project === undefined) return;
    await audit.scheduled(tx, {
      scheduledBy: webhook.id,
      action: 'disableWebhook',
      object: `webhook:${webhook.id}`,
      outcome: 'allowed',
      companyId: project.companyId,
      projectId: webhook.projectId,
      reason: reason === 'gone' ? 'The endpoint answered 410.' : 'No attempt succeeded for five days.',
    });
  }

  const worker = createSendWorker({
    ...service,
    ...constants,
    store,
    attempt: createAttempt({ send, encryption, clock, bodyFor }),
    onDisabled,
    onFinished: (outcome) => finished.add([outcome]),
  });
  run(worker);
  return worker;
}
