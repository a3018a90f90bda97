import { auditMigrations } from '@switchboard/audit';
import { directoryMigrations, openDirectory, openErasures } from '@switchboard/directory';
import {
  createApp,
  createAuditTrail,
  createRateLimits,
  directUrl,
  migrateDatabase,
  openQuotas,
  openServiceDatabase,
  projectOfRegion,
  refusalOfKey,
  startable,
} from '@switchboard/http';
import { createHub, openFanOut } from '@switchboard/realtime';
import {
  createEncryption,
  createRetention,
  openEventLog,
  openObjects,
  openRedis,
} from '@switchboard/runtime';
import { mountSdks, readSdks } from '@switchboard/sdk-files';
import { createAttachments } from './attachments/attachments.ts';
import { attachmentsRoutes } from './attachments/routes.ts';
import { createAttachmentsStore } from './attachments/store.ts';
import { createSweep } from './attachments/sweep.ts';
import { messengerSettings } from './config.ts';
import { createConfigurations } from './configuration/configuration.ts';
import { configurationRoutes } from './configuration/routes.ts';
import { createConfigurationStore } from './configuration/store.ts';
import { createNameAuthors } from './conversations/authors.ts';
import { createConversations } from './conversations/conversations.ts';
import { createOperatorConversations } from './conversations/operator.ts';
import { createReadTurns } from './conversations/reading.ts';
import { conversationsRoutes } from './conversations/routes.ts';
import { createConversationsStore } from './conversations/store.ts';
import { createConversationTokens } from './conversations/tokens.ts';
import { createErasure } from './erasure/erasure.ts';
import { createErasureStore } from './erasure/store.ts';
import { createHelpCentre } from './help-centre/help-centre.ts';
import { helpCentreRoutes } from './help-centre/routes.ts';
import { createHelpCentreStore } from './help-centre/store.ts';
import { createIdentity } from './identity/identity.ts';
import { identityRoutes } from './identity/routes.ts';
import { createIdentityStore } from './identity/store.ts';
import { createInbox } from './inbox/inbox.ts';
import { inboxRoutes } from './inbox/routes.ts';
import { createInboxStore } from './inbox/store.ts';
import { createConfigurationChanges } from './live/configuration-changes.ts';
import { createLive } from './live/live.ts';
import { liveRoutes } from './live/routes.ts';
import { socketUrlUnder } from './live/socket.ts';
import { createSubscriptions } from './live/subscriptions.ts';
import { createHelpSiteProvider } from './providers/help-site.ts';
import { createTranslationProvider } from './providers/translation.ts';
import { expiringData } from './retention/retention.ts';
import { createRetentionStore } from './retention/store.ts';
import { messengerMigrations } from './schema/migrations.ts';
import { teamRoutes } from './team/routes.ts';
import { createTeamStore } from './team/store.ts';
import { createTeam } from './team/team.ts';
import { translationsRoutes } from './translations/routes.ts';
import { createTranslationsStore } from './translations/store.ts';
import { createTranslations } from './translations/translations.ts';

/** The topics of all sockets, of the project, of the person, and of 18 conversations. */
const TOPICS_PER_SOCKET = 21;

/** The support messenger's conversations, attachments, inbox, configuration and settings. */
export const messengerService = startable({
  name: 'messenger',
  settings: messengerSettings,
  migrations: [directoryMigrations, auditMigrations, messengerMigrations],
  create(context) {
    const { config, logger, clock, metrics } = context;

    // Backings
    const database = openServiceDatabase(context);
    const db = database.drizzle;
    const log = openEventLog(context, 'messenger', context.instance);
    const audit = createAuditTrail({ service: 'messenger', context, db: database.drizzle, log });
    const directory = openDirectory({ database, log, service: 'messenger', logger });
    const redis = config.REDIS_URL === undefined ? undefined : openRedis(config.REDIS_URL, context);
    const storage = openObjects(context);
    const slowStorage = openObjects(context, 'background');
    const app = createApp({ service: 'messenger', context, directory, database, audit });
    app.health.add('database', database.ping);
    const { bodies } = app;
    const ofProject = projectOfRegion(directory, config.REGION);
    const limit = createRateLimits(redis, context.share);
    const inMinute = (name: string, points: number) => ({ name, points, durationSeconds: 60 });
    const perMinute = (name: string, points: number) => limit(inMinute(name, points));
    const quotas = openQuotas({
      ...context,
      redis,
      bytesPerSecond: {
        address: config.READ_BYTES_PER_ADDRESS_PER_SECOND,
        project: config.READ_BYTES_PER_PROJECT_PER_SECOND,
      },
    });

    // Live updates
    const fanOut = openFanOut({
      channel: 'switchboard:messenger',
      redisUrl: config.REDIS_URL,
      onChange: (error) =>
        error
          ? logger.warn({ error }, 'fan-out disconnected, live updates reach only this instance')
          : logger.info('fan-out reconnected'),
    });
    const hub = createHub({
      fanOut,
      maxSockets: context.share(config.SOCKETS_MAX),
      maxPerAddress: context.share(config.SOCKETS_PER_ADDRESS),
      maxTopicsPerSocket: TOPICS_PER_SOCKET,
      refusalOf: (key) => refusalOfKey(app.projectKey, key),
      onError: (error) => logger.warn({ error }, 'handle socket message failed'),
    });
    metrics.gauge('switchboard_sockets', 'Open sockets.', hub.count);
    const live = createLive(hub);

    // Conversations
    const encryption = createEncryption({
      secrets: config.IDENTITY_SECRET,
      purpose: 'messenger identity secret',
    });
    const identity = createIdentity({ store: createIdentityStore(db), encryption, clock });
    identityRoutes(app, { identity, ofProject });
    const store = createConversationsStore(database.prepared);
    const tokens = createConversationTokens({ store, clock });
    const nameAuthors = createNameAuthors(directory);
    const readTurns = createReadTurns(store, nameAuthors);
    const conversationLimits = {
      opens: limit(
        inMinute('opens-address', config.OPENS_PER_ADDRESS_PER_MINUTE),
        inMinute('opens-project', config.OPENS_PER_PROJECT_PER_MINUTE),
      ),
      turns: limit(
        inMinute('turns', config.TURNS_PER_CONVERSATION_PER_MINUTE),
        inMinute('turns-address', config.TURNS_PER_ADDRESS_PER_MINUTE),
        inMinute('turns-project', config.TURNS_PER_PROJECT_PER_MINUTE),
      ),
      reads: limit(
        inMinute('reads', config.READS_PER_CONVERSATION_PER_MINUTE),
        inMinute('reads-address', config.READS_PER_ADDRESS_PER_MINUTE),
        inMinute('reads-project', config.READS_PER_PROJECT_PER_MINUTE),
      ),
    };
    const conversations = createConversations({
      store,
      readTurns,
      tokens,
      identity,
      limits: conversationLimits,
      quota: quotas.quota('conversations'),
      live,
      clock,
    });
    const operatorConversations = createOperatorConversations({
      store,
      readTurns,
      nameAuthors,
      live,
      clock,
    });
    conversationsRoutes(app, {
      conversations,
      operatorConversations,
      limits: conversationLimits,
      tokens,
      ofProject,
    });

    // Attachments
    const attachmentsStore = createAttachmentsStore(db);
    const attachments = createAttachments({
      store: attachmentsStore,
      storage,
      directory,
      limits: {
        uploads: limit(
          inMinute('uploads-address', config.UPLOADS_PER_ADDRESS_PER_MINUTE),
          inMinute('uploads-minute', config.UPLOADS_PER_CONVERSATION_PER_MINUTE),
          { name: 'uploads-hour', points: config.UPLOADS_PER_CONVERSATION_PER_HOUR, durationSeconds: 3600 },
        ),
        downloadsPerAddress: perMinute('downloads-address', config.DOWNLOADS_PER_ADDRESS_PER_MINUTE),
      },
      clock,
      logger,
    });
    attachmentsRoutes(app, { attachments, tokens, bodies });
    const retentionHours = config.UNSENT_ATTACHMENT_HOURS;
    const sweep =
      slowStorage &&
      createSweep({ store: attachmentsStore, storage: slowStorage, retentionHours, clock, logger });

    // Inbox
    const inbox = createInbox({
      store: createInboxStore(db),
      limits: {
        perAddress: perMinute('messages-address', config.MESSAGE_REQUESTS_PER_ADDRESS_PER_MINUTE),
        readsPerProject: perMinute('message-reads', config.MESSAGE_READS_PER_PROJECT_PER_MINUTE),
      },
      live,
      clock,
    });
    inboxRoutes(app, { inbox, ofProject });

    // Team and configuration
    const team = createTeam({ store: createTeamStore(db), storage, clock, logger });
    teamRoutes(app, { team, ofProject, bodies });
    const configurations = createConfigurations({
      store: createConfigurationStore(db),
      team,
      directory,
      socketUrl: socketUrlUnder(config.PUBLIC_API_URL),
    });
    metrics.cache('configurations', configurations.reads);
    configurationRoutes(app, { configurations, ofProject });
    const changes = createConfigurationChanges({ database, hub, configurations, logger });
    const subscriptions = createSubscriptions({ database, hub, tokens, clock, logger });
    liveRoutes(app, {
      hub,
      subscriptions,
      limit: perMinute('subscriptions', config.SUBSCRIPTIONS_PER_ADDRESS_PER_MINUTE),
      changes,
    });

    // Settings in the console
    const helpCentre = createHelpCentre({
      store: createHelpCentreStore(db),
      provider: createHelpSiteProvider(context),
      directory,
      limit: perMinute('help-centre', config.HELP_CENTRE_REFRESHES_PER_COMPANY_PER_MINUTE),
      clock,
    });
    helpCentreRoutes(app, { helpCentre });
    const translations = createTranslations({
      store: createTranslationsStore(db),
      provider: createTranslationProvider(config, metrics),
      timeoutMs: config.AI_TIMEOUT_MS,
      directory,
      clock,
      logger,
    });
    translationsRoutes(app, { translations });

    // SDKs
    const { PUBLIC_API_URL: baseUrl, SDK_FILE: file } = config;
    if (file !== undefined) mountSdks(app.hono, { baseUrl, read: () => readSdks(file) });

    const erasures = openErasures({
      database,
      databaseUrl: directUrl(config),
      log,
      service: 'messenger',
      region: config.REGION,
      logger,
      eraser: (slow) => createErasure({ store: createErasureStore(slow), storage: slowStorage }),
    });

    const retention = createRetention({
      database,
      data: expiringData({
        store: createRetentionStore(db),
        storage: slowStorage,
        conversationDays: config.CONVERSATIONS_RETENTION_DAYS,
        messageDays: config.MESSAGES_RETENTION_DAYS,
      }),
      clock,
      logger,
      metrics,
    });

    const stopping = new AbortController();
    let reencryption: Promise<void> | undefined;
    return {
      app,
      async start() {
        await migrateDatabase(config, [directoryMigrations, auditMigrations, messengerMigrations]);
        await changes.start();
        await directory.start();
        sweep?.start();
        await subscriptions.start();
        audit.start();
        erasures.start();
        retention.start();
        reencryption ??= identity.reencrypt(logger, stopping.signal);
      },
      async stop() {
        hub.close();
        stopping.abort();
        await reencryption;
        await sweep?.stop();
        await Promise.all([erasures.stop(), retention.stop()]);
        await Promise.all([changes.stop(), subscriptions.stop()]);
        await directory.stop();
        await audit.stop();
        await log.close();
        await database.close();
        quotas.close();
        redis?.disconnect();
        storage?.close();
        slowStorage?.close();
      },
    };
  },
});
