import { migrate, openDatabase } from '@switchboard/database';
import { directoryMigrations, openDirectory } from '@switchboard/directory';
import { createHub, openFanOut } from '@switchboard/realtime';
import {
  createApp,
  createRateLimits,
  createSealing,
  defineService,
  openEventLog,
  openObjects,
  openRedis,
  projectOfRegion,
  refusalOfKey,
} from '@switchboard/service-kit';
import { createAttachments } from './attachments/attachments.ts';
import { routeAttachments } from './attachments/routes.ts';
import { createAttachmentStore } from './attachments/store.ts';
import { createSweep } from './attachments/sweep.ts';
import { messengerSettings } from './config.ts';
import { createConfigurations } from './configuration/configuration.ts';
import { routeConfiguration } from './configuration/routes.ts';
import { createConfigurationStore } from './configuration/store.ts';
import { appendTurn } from './conversations/append.ts';
import { createConversations } from './conversations/conversations.ts';
import { routeOperatorConversations } from './conversations/management-routes.ts';
import { createOperatorConversations } from './conversations/operator.ts';
import { routeConversations } from './conversations/routes.ts';
import { createConversationStore } from './conversations/store.ts';
import { createConversationTokens } from './conversations/tokens.ts';
import { createHelpCentres } from './help-centre/help-centre.ts';
import { routeHelpCentre } from './help-centre/routes.ts';
import { createHelpCentreStore } from './help-centre/store.ts';
import { createIdentity } from './identity/identity.ts';
import { routeIdentity } from './identity/routes.ts';
import { createIdentityStore } from './identity/store.ts';
import { routeInbox } from './inbox/routes.ts';
import { createInboxStore } from './inbox/store.ts';
import { createConfigurationChanges } from './live/configuration-changes.ts';
import { createLive } from './live/live.ts';
import { planSocket, SOCKET_PATH } from './live/socket.ts';
import { messengerMigrations } from './migrations.ts';
import { helpSite, translationProvider } from './outside.ts';
import { routeTeam } from './team/routes.ts';
import { createTeamStore } from './team/store.ts';
import { createTeam } from './team/team.ts';
import { routeTranslations } from './translations/routes.ts';
import { createUsageStore } from './translations/store.ts';
import { createTranslations } from './translations/translations.ts';

/** Conversations, attachments, inbox and configuration of the support messenger, and its settings. */
export const messengerService = defineService({
  name: 'messenger',
  settings: messengerSettings,
  migrations: [directoryMigrations, messengerMigrations],
  create(context) {
    const { config, logger, clock, metrics } = context;
    const database = openDatabase({ url: config.DATABASE_URL, applicationName: 'messenger' });
    const db = database.drizzle;
    const log = openEventLog(context, 'messenger');
    const directory = openDirectory({ database, log, service: 'messenger', logger });
    const redis = config.REDIS_URL === undefined ? undefined : openRedis(config.REDIS_URL, logger, metrics);
    const storage = openObjects(config);
    const app = createApp({ service: 'messenger', context, directory, database });
    app.health.add('database', database.ping);

    const limit = createRateLimits(redis);
    const perMinute = (name: string, points: number) => limit({ name, points, durationSeconds: 60 });
    const ofProject = projectOfRegion(directory, config.REGION);
    const hub = createHub({
      fanOut: openFanOut({
        channel: 'switchboard:messenger',
        redisUrl: config.REDIS_URL,
        onChange: (error) =>
          error
            ? logger.warn({ error }, 'live messages reach this instance alone')
            : logger.info('live again'),
      }),
      maxSockets: config.SOCKETS_MAX,
      maxPerAddress: config.SOCKETS_PER_ADDRESS,
      refusalOf: (key) => refusalOfKey(app.projectKey, key),
      onError: (error) => logger.warn({ error }, 'a socket’s message could not be taken'),
    });
    const live = createLive(hub);

    const store = createConversationStore(db);
    const tokens = createConversationTokens(store, clock);
    const sealing = createSealing({ secrets: config.IDENTITY_SECRET, purpose: 'messenger identity secret' });
    const identity = createIdentity({ store: createIdentityStore(db), sealing, clock });
    const append = appendTurn.bind(undefined, db);
    const conversations = createConversations({
      store,
      append,
      tokens,
      identity,
      limits: {
        opensPerAddress: perMinute('opens-address', config.OPENS_PER_ADDRESS_PER_MINUTE),
        opensPerProject: perMinute('opens-project', config.OPENS_PER_PROJECT_PER_MINUTE),
        turns: perMinute('turns', config.TURNS_PER_CONVERSATION_PER_MINUTE),
      },
      live,
      clock,
    });
    routeConversations(app, conversations, tokens);
    routeOperatorConversations(app, createOperatorConversations({ store, append, live, clock }), ofProject);
    routeIdentity(app, identity, ofProject);

    const attachmentStore = createAttachmentStore(db);
    const attachments = createAttachments({
      store: attachmentStore,
      storage,
      directory,
      limits: {
        perConversationMinute: perMinute('uploads-minute', config.UPLOADS_PER_CONVERSATION_PER_MINUTE),
        perConversationHour: limit({
          name: 'uploads-hour',
          points: config.UPLOADS_PER_CONVERSATION_PER_HOUR,
          durationSeconds: 3600,
        }),
        perAddress: perMinute('uploads-address', config.UPLOADS_PER_ADDRESS_PER_MINUTE),
      },
      clock,
      logger,
    });
    routeAttachments(app, { attachments, tokens, budget: app.budget });
    const keptHours = config.UNSENT_ATTACHMENT_HOURS;
    const sweep = storage && createSweep({ store: attachmentStore, storage, keptHours, clock, logger });

    routeInbox(app, { store: createInboxStore(db), ofProject, clock });

    const teamStore = createTeamStore(db);
    routeTeam(app, {
      team: createTeam({ store: teamStore, storage, clock, logger }),
      ofProject,
      budget: app.budget,
    });
    const configurations = createConfigurations({
      store: createConfigurationStore(db),
      team: teamStore,
      directory,
      socketUrl: `${config.PUBLIC_API_URL.replace(/^http/, 'ws')}${SOCKET_PATH}`,
    });
    routeConfiguration(app, configurations, ofProject);

    routeHelpCentre(
      app,
      createHelpCentres({ store: createHelpCentreStore(db), provider: helpSite(config), directory, clock }),
    );
    const usage = createUsageStore(db);
    const timeoutMs = config.AI_TIMEOUT_MS;
    const provider = translationProvider(config);
    routeTranslations(
      app,
      createTranslations({ store: usage, provider, timeoutMs, directory, clock, logger }),
    );

    const changes = createConfigurationChanges({ database, hub, configurations, logger });
    const plan = planSocket({ projectKey: app.projectKey, tokens, follow: changes.follow });
    const socket = hub.route(
      (c) => c.get('address'),
      (c) => plan({ key: c.req.query('api_key'), locale: c.req.query('locale') }),
    );
    app.hono.get(SOCKET_PATH, socket);
    metrics.gauge('switchboard_sockets', 'Sockets that are open.', hub.count);

    const leaving = new AbortController();
    let sealingAnew: Promise<void> | undefined;
    return {
      app,
      async start() {
        await migrate(config.DATABASE_URL, directoryMigrations);
        await migrate(config.DATABASE_URL, messengerMigrations);
        await changes.start();
        await directory.start();
        sweep?.start();
        sealingAnew ??= identity.sealAnew(logger, leaving.signal);
      },
      async stop() {
        hub.close();
        leaving.abort();
        await sealingAnew;
        await sweep?.stop();
        await changes.stop();
        await directory.stop();
        await log.close();
        await database.close();
        redis?.disconnect();
        storage?.close();
      },
    };
  },
});
