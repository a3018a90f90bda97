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
import { type Limits, limitsTimes } from './limits.ts';
import { createConfigurationChanges } from './live/configuration-changes.ts';
import { createLive } from './live/live.ts';
import { liveRoutes } from './live/routes.ts';
import { socketUrlUnder } from './live/socket.ts';
import { createSubscriptions } from './live/subscriptions.ts';
import { createHelpSiteProvider } from './providers/help-site.ts';
import { AI_TIMEOUT_MS, createTranslationProvider } from './providers/translation.ts';
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

/** Constants that tests replace. */
export interface MessengerConstants {
  limits?: Partial<Limits>;
  aiTimeoutMs?: number;
  helpSiteTimeoutMs?: number;
}

/** The support messenger's conversations, attachments, inbox, configuration and settings. */
export const messengerService = startable({
  name: 'messenger',
  settings: messengerSettings,
  migrations: [directoryMigrations, auditMigrations, messengerMigrations],
  create(context, constants: MessengerConstants = {}) {
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
    const limits = { ...limitsTimes(config.RATE_LIMITS_MULTIPLIER), ...constants.limits };
    const inMinute = (name: string, points: number) => ({ name, points, durationSeconds: 60 });
    const perMinute = (name: string, points: number) => limit(inMinute(name, points));
    const quotas = openQuotas({
      ...context,
      redis,
      bytesPerSecond: {
        address: limits.readBytesPerAddressPerSecond,
        project: limits.readBytesPerProjectPerSecond,
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
        inMinute('opens-address', limits.opensPerAddress),
        inMinute('opens-project', limits.opensPerProject),
      ),
      turns: limit(
        inMinute('turns', limits.turnsPerConversation),
        inMinute('turns-address', limits.turnsPerAddress),
        inMinute('turns-project', limits.turnsPerProject),
      ),
      reads: limit(
        inMinute('reads', limits.readsPerConversation),
        inMinute('reads-address', limits.readsPerAddress),
        inMinute('reads-project', limits.readsPerProject),
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
          inMinute('uploads-address', limits.uploadsPerAddress),
          inMinute('uploads-minute', limits.uploadsPerConversation),
          { name: 'uploads-hour', points: limits.uploadsPerConversationPerHour, durationSeconds: 3600 },
        ),
        downloadsPerAddress: perMinute('downloads-address', limits.downloadsPerAddress),
      },
      clock,
      logger,
    });
    attachmentsRoutes(app, { attachments, tokens, bodies });
    const sweep =
      slowStorage && createSweep({ store: attachmentsStore, storage: slowStorage, clock, logger });

    // Inbox
    const inbox = createInbox({
      store: createInboxStore(db),
      limits: {
        perAddress: perMinute('messages-address', limits.messageRequestsPerAddress),
        readsPerProject: perMinute('message-reads', limits.messageReadsPerProject),
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
      limit: perMinute('subscriptions', limits.subscriptionsPerAddress),
      changes,
    });

    // Settings in the console
    const helpCentre = createHelpCentre({
      store: createHelpCentreStore(db),
      provider: createHelpSiteProvider(context, constants.helpSiteTimeoutMs),
      directory,
      limit: perMinute('help-centre', limits.helpCentreRefreshesPerCompany),
      clock,
    });
    helpCentreRoutes(app, { helpCentre });
    const { aiTimeoutMs = AI_TIMEOUT_MS } = constants;
    const translations = createTranslations({
      store: createTranslationsStore(db),
      provider: createTranslationProvider(config, metrics, aiTimeoutMs),
      timeoutMs: aiTimeoutMs,
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
