import { directoryMigrations, openErasures } from '@switchboard/directory';
import { createRateLimits, defineService, openQuotas, openReplica } from '@switchboard/http';
import { openRedis } from '@switchboard/runtime';
import { openWireUsage } from '@switchboard/wire-usage';
import { ingestionSettings } from './config.ts';
import { createEvents } from './events/events.ts';
import { eventsRoutes } from './events/routes.ts';
import { createIdentify } from './identify/identify.ts';
import { createJoinLimit } from './identify/join-limit.ts';
import { identifyRoutes } from './identify/routes.ts';
import { topicSpecs } from './records/topics.ts';
import { createRejections } from './rejections/rejections.ts';
import { createReplay } from './replay/replay.ts';
import { replayRoutes } from './replay/routes.ts';
import { createWireIntake } from './wires/intake.ts';
import { createLosses } from './wires/losses.ts';
import { createPosthogRecordings } from './wires/posthog/recordings.ts';
import { posthogRoutes } from './wires/posthog/routes.ts';
import { segmentRoutes } from './wires/segment/routes.ts';

export const ingestionService = defineService({
  name: 'ingestion',
  settings: ingestionSettings,
  migrations: [directoryMigrations],
  directory: openReplica(),
  audit: () => undefined,
  create(service) {
    const { app, config, log, add, run } = service;
    const redis = openRedis(config.REDIS_URL, service);
    add(redis, { stop: () => redis?.disconnect() });
    const quotas = openQuotas({
      ...service,
      redis,
      bytesPerSecond: {
        address: config.BYTES_PER_ADDRESS_PER_SECOND,
        project: config.BYTES_PER_PROJECT_PER_SECOND,
      },
    });
    add(quotas, { stop: quotas.close });
    add({ start: () => log.createTopics(topicSpecs(config)) });

    const quota = quotas.quota('events');
    const { throttle } = quotas;
    const events = createEvents(service);
    eventsRoutes(app, { events, quota, throttle });
    const joins = createJoinLimit({ ...service, limit: createRateLimits(redis, service.share) });
    const calls = createIdentify(service);
    identifyRoutes(app, { calls, quota, throttle, joins });
    const replay = createReplay(service);
    const replayQuota = quotas.quota('replays');
    replayRoutes(app, { replay, quota: replayQuota, throttle });

    const rejections = createRejections({ ...service, replication: config.TOPIC_REPLICATION });
    app.onRejection(rejections.add);
    run(rejections, openWireUsage(service));
    const intake = createWireIntake({ events, calls, joins, throttle });
    const losses = createLosses(service.metrics, rejections);
    const wires = { intake, losses, clock: service.clock, quota, throttle };
    segmentRoutes(app, wires);
    const recordings = createPosthogRecordings({ replay, throttle });
    posthogRoutes(app, { ...wires, recordings, replayQuota });

    // Does not check the database, because known keys are answered from memory.
    app.health.add('event log', () => log.ping());
    // The service's replica of the directory contains names of colleagues.
    run(openErasures(service));
  },
});
