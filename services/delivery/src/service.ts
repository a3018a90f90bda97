import { AUDIT_TOPIC, auditMigrations } from '@switchboard/audit';
import { ingestionTopics } from '@switchboard/contracts';
import { directoryMigrations, openErasures } from '@switchboard/directory';
import { defineService, openAuditTrail, openReplica, projectOfRegion, runOnce } from '@switchboard/http';
import { createEncryption, createRetention } from '@switchboard/runtime';
import { createBodies } from './chat/bodies.ts';
import { createWatchesPublisher } from './cohorts/publisher.ts';
import { createCohortsStore } from './cohorts/store.ts';
import { deliverySettings } from './config.ts';
import { createErasure } from './erasure/erasure.ts';
import { createErasureStore } from './erasure/store.ts';
import { alerts } from './intake/alerts.ts';
import { cohorts } from './intake/cohort-changes.ts';
import { conversations } from './intake/conversations.ts';
import { runs } from './intake/runs.ts';
import { createMessages } from './messages/messages.ts';
import { messagesRoutes } from './messages/routes.ts';
import { createMessagesStore } from './messages/store.ts';
import { expiringData } from './retention/retention.ts';
import { createRetentionStore } from './retention/store.ts';
import { deliveryMigrations } from './schema/migrations.ts';
import { webhooksRoutes } from './webhooks/routes.ts';
import { createWebhooksStore } from './webhooks/store.ts';
import { createWebhooks } from './webhooks/webhooks.ts';
import { openIntake } from './wiring/intake.ts';
import { openSending, type SendingConstants } from './wiring/sending.ts';

/** Webhooks: sends what happens in a project to the endpoints of its owners. Optional. */
export const deliveryService = defineService({
  name: 'delivery',
  settings: deliverySettings,
  migrations: [directoryMigrations, auditMigrations, deliveryMigrations],
  directory: openReplica(),
  audit: openAuditTrail,
  create(service, constants: SendingConstants = {}) {
    const { app, config, database, db, directory, logger, region, run } = service;
    const encryption = createEncryption({ secrets: config.WEBHOOK_SECRET, purpose: 'webhook secrets' });
    const ofProject = projectOfRegion(directory, region);
    const stores = {
      webhooks: createWebhooksStore(db),
      messages: createMessagesStore(db),
      cohorts: createCohortsStore(db),
    };

    const bodyFor = createBodies(service);
    const { wake } = openSending(service, { encryption, bodyFor }, constants);
    const webhooks = createWebhooks({
      ...service,
      encryption,
      store: stores.webhooks,
      cohorts: stores.cohorts,
    });
    webhooksRoutes(app, { webhooks, ofProject });
    const messages = createMessages({
      ...{ ...service, ...stores, store: stores.messages },
      ...{ bodyFor, onQueued: wake },
    });
    messagesRoutes(app, { messages, ofProject });
    openIntake(service, { ...stores, onQueued: wake });

    const intakes = [
      { group: 'delivery.events', topics: [ingestionTopics.events] },
      ...[runs, alerts, conversations, cohorts].map(({ group, topic }) => ({ group, topics: [topic] })),
      { group: 'delivery.audit', topics: [AUDIT_TOPIC] },
    ];
    run(
      openErasures({
        ...service,
        intakes,
        sources: ['messenger', 'analytics'],
        eraser: (slow) => createErasure(createErasureStore(slow), stores.webhooks),
      }),
      createRetention({ ...service, data: expiringData(createRetentionStore(db)) }),
      createWatchesPublisher(service),
      runOnce((signal) => webhooks.reencrypt(logger, signal)),
    );
    app.health.add('database', database.ping);
  },
});
