import {
  commonSettings,
  eventLogSettings,
  integerSetting,
  objectStoreSettings,
  rolesSetting,
  s3Settings,
  together,
} from '@switchboard/service-kit';
import { z } from 'zod';

const hours = (fallback: number) => integerSetting({ min: 1, max: 87_600, fallback });

const eventArchive = {
  ARCHIVE_FILE_BYTES: integerSetting({ min: 1, max: 1_000_000_000, fallback: 8_388_608 }).describe(
    'JSON of one partition, in bytes, at which the event archive writes its files; a file is several times smaller.',
  ),
  ARCHIVE_FILE_SECONDS: integerSetting({ min: 1, max: 86_400, fallback: 300 }).describe(
    'How long an event waits at most for its file, however little there is.',
  ),
  ARCHIVE_BUFFER_BYTES: integerSetting({ min: 1, max: 64_000_000_000, fallback: 33_554_432 }).describe(
    'JSON of all partitions of a process, in bytes, past which the event archive writes files early.',
  ),
};

export const ingestionSettings = z
  .object({
    ...commonSettings,
    ...eventLogSettings,
    ROLES: rolesSetting(['http', 'replay-archive', 'event-archive']),
    TOPIC_MIN_IN_SYNC_REPLICAS: integerSetting({ min: 1, max: 10, fallback: 1 }).describe(
      'Replicas that must have a record before it counts as stored (Kafka only); 2 goes with TOPIC_REPLICATION 3.',
    ),
    EVENTS_RETENTION_HOURS: hours(168).describe('How long the topic events keeps a record.'),
    CALLS_RETENTION_HOURS: hours(720).describe('How long the topics identifies and groups keep a record.'),
    REPLAYS_RETENTION_HOURS: hours(72).describe('How long the topic replays keeps a record.'),
    ...objectStoreSettings('the archives'),
    ...eventArchive,
  })
  .check(together(s3Settings))
  .check(({ value, issues }) => {
    if (value.S3_ENDPOINT !== undefined || value.OBJECTS_FOLDER !== undefined) return;
    if (!value.ROLES.has('replay-archive') && !value.ROLES.has('event-archive')) return;
    issues.push({
      code: 'custom',
      input: value,
      path: ['OBJECTS_FOLDER'],
      message:
        'this or S3_ENDPOINT is required by the roles replay-archive and event-archive; ROLES=http archives nothing',
    });
  });
export type IngestionConfig = z.output<typeof ingestionSettings>;
