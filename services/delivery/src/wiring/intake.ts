import type { CohortsStore } from '../cohorts/store.ts';
import type { Delivery } from '../config.ts';
import { alerts } from '../intake/alerts.ts';
import { createAuditConsumer } from '../intake/audit.ts';
import { cohorts } from '../intake/cohort-changes.ts';
import { conversations } from '../intake/conversations.ts';
import { createEventsConsumer } from '../intake/events.ts';
import { createIntake } from '../intake/intake.ts';
import { createRecordsConsumer } from '../intake/records.ts';
import { runs } from '../intake/runs.ts';
import type { MessagesStore } from '../messages/store.ts';
import type { WebhooksStore } from '../webhooks/store.ts';

interface IntakeNeeds {
  webhooks: WebhooksStore;
  messages: MessagesStore;
  cohorts: CohortsStore;
  onQueued(): void;
}

/** Opens the consumers that queue messages. */
export function openIntake(service: Delivery, needs: IntakeNeeds): void {
  const { metrics, run } = service;
  const discarded = metrics.counter(
    'switchboard_webhook_messages_discarded_total',
    'Messages that were not queued because 10,000 of their webhook were waiting.',
  );
  const intake = createIntake({ ...service, ...needs, onDiscarded: discarded.add });
  const options = { ...service, intake };
  run(
    createEventsConsumer(options),
    createAuditConsumer(options),
    createRecordsConsumer(options, runs),
    createRecordsConsumer(options, alerts),
    createRecordsConsumer(options, conversations),
    createRecordsConsumer(options, { ...cohorts, onRecord: needs.cohorts.save }),
  );
}
