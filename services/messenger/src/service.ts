import { auditMigrations } from '@switchboard/audit';
import { directoryMigrations, openErasures } from '@switchboard/directory';
import { defineService, openAuditTrail, openReplica, projectOfRegion } from '@switchboard/http';
import { createPersonIds, createPersonIdsConsumer } from '@switchboard/person-ids';
import { createRetention, openObjects } from '@switchboard/runtime';
import { mountSdks, readSdks } from '@switchboard/sdk-files';
import { messengerSettings } from './config.ts';
import { createErasure } from './erasure/erasure.ts';
import { createErasureStore } from './erasure/store.ts';
import type { Limits } from './limits/limits.ts';
import { expiringData } from './retention/retention.ts';
import { createRetentionStore } from './retention/store.ts';
import { messengerMigrations } from './schema/migrations.ts';
import { openAttachments } from './wiring/attachments.ts';
import { openConfiguration } from './wiring/configuration.ts';
import { openConversations } from './wiring/conversations.ts';
import { openInbox } from './wiring/inbox.ts';
import { openLimits } from './wiring/limits.ts';
import { openHub, openLive } from './wiring/live.ts';
import { openHelpCentre, openTranslations } from './wiring/settings.ts';

/** Constants that tests replace. */
export interface MessengerConstants {
  limits?: Partial<Limits>;
  aiTimeoutMs?: number;
  helpSiteTimeoutMs?: number;
}

/** The support messenger's conversations, attachments, inbox, configuration and settings. */
export const messengerService = defineService({
  name: 'messenger',
  settings: messengerSettings,
  migrations: [directoryMigrations, auditMigrations, messengerMigrations],
  directory: openReplica(),
  audit: openAuditTrail,
  create(service, constants: MessengerConstants = {}) {
    const { add, app, config, database, db, directory, region, run } = service;
    const storage = openObjects(service);
    add(storage, { stop: () => storage?.close() });
    const slowStorage = openObjects(service, 'background');
    add(slowStorage, { stop: () => slowStorage?.close() });
    const limits = openLimits(service, constants.limits);
    const hub = openHub(service);
    const personIds = createPersonIds(db);
    run(createPersonIdsConsumer({ ...service, group: 'messenger.person-ids' }));
    const ofProject = projectOfRegion(directory, region);
    const shared = { ...service, ...hub, limits, storage, ofProject, personIds };

    const tokens = openConversations(shared);
    openAttachments(shared, { tokens, slowStorage });
    openInbox(shared);
    const configurations = openConfiguration(shared);
    openLive(shared, { configurations, tokens });
    openHelpCentre(shared, constants.helpSiteTimeoutMs);
    openTranslations(shared, constants.aiTimeoutMs);

    const { PUBLIC_API_URL: baseUrl, SDK_FILE: file } = config;
    if (file !== undefined) mountSdks(app.hono, { baseUrl, read: () => readSdks(file) });

    const data = expiringData({
      store: createRetentionStore(db),
      storage: slowStorage,
      conversationDays: config.CONVERSATIONS_RETENTION_DAYS,
      messageDays: config.MESSAGES_RETENTION_DAYS,
    });
    run(
      createRetention({ ...service, data }),
      openErasures({
        ...service,
        eraser: (slow) =>
          createErasure({
            store: createErasureStore(slow),
            personIds: createPersonIds(slow),
            storage: slowStorage,
          }),
      }),
    );
    app.health.add('database', database.ping);
  },
});
