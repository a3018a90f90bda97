import { createDirectoryPublisher } from '@switchboard/directory/testing';
import { eventually, openHarness, startKafka } from '@switchboard/testkit';
import { afterAll, expect, it } from 'vitest';
import { archiveService } from './service.ts';
import { sent } from './testing/events-harness.ts';
import { openLog } from './testing/log.ts';
import { chunkOf, newSession } from './testing/recording.ts';
import { eventRecords, replayRecords } from './testing/records.ts';
import { createTopics, PARTITIONS, PROJECT } from './testing/service.ts';

const kafka = await startKafka();
afterAll(() => kafka?.stop());

it.each(['the embedded log', ...(kafka ? ['Kafka'] : [])])(
  'waits on %s for topics that ingestion has not created yet',
  async (name) => {
    const own = await openHarness({
      services: { archive: archiveService },
      env: { ARCHIVE_FILE_SECONDS: '1' },
      ...(name === 'Kafka' && kafka && { log: { kafka: kafka.brokers } }),
    });
    const log = openLog(own.logEnv);
    own.defer(() => log.close());
    try {
      await (await createDirectoryPublisher(log)).putProject({ id: PROJECT });
      await own.start('archive');

      await createTopics(log);
      const event = sent();
      const arrival = { projectId: PROJECT, receivedAt: new Date(), partitions: PARTITIONS };
      await log.publish('events', eventRecords([event], arrival));
      const session = newSession();
      await log.publish('replays', replayRecords(PROJECT, chunkOf(session, 0, []), PARTITIONS));

      const ask = (path: string) => own.manage('archive', 'GET', `/projects/${PROJECT}/${path}`);
      await eventually(
        async () => {
          expect((await ask(`events/${event.event_id}`)).body).toMatchObject({ state: 'archived' });
          expect((await ask(`replays/${session}`)).body).toMatchObject({ chunks: 1 });
        },
        { withinMs: 30_000 },
      );
    } finally {
      await own.stop();
    }
  },
  60_000,
);
