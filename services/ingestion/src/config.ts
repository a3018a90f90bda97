import {
  commonSettings,
  eventLogSettings,
  httpUrl,
  integerSetting,
  rolesSetting,
} from '@switchboard/service-kit';
import { z } from 'zod';

const hours = (fallback: number) => integerSetting({ min: 1, max: 87_600, fallback });

const objects = {
  S3_ENDPOINT: httpUrl.optional().describe('S3 server for the archives.'),
  S3_ACCESS_KEY: z.string().optional().describe('Access key at the S3 server; required with it.'),
  S3_SECRET_KEY: z.string().optional().meta({ secret: true }).describe('Secret of S3_ACCESS_KEY.'),
  S3_BUCKET: z.string().optional().describe('Bucket at the S3 server; required with it.'),
  S3_REGION: z
    .string()
    .default('us-east-1')
    .describe('Region that requests to the S3 server are signed for.'),
  OBJECTS_FOLDER: z
    .string()
    .optional()
    .describe('Folder for the archives where there is no S3 server; for one machine.'),
};

const eventArchive = {
  ARCHIVE_FILE_BYTES: integerSetting({ min: 1, max: 1_000_000_000, fallback: 8_388_608 }).describe(
    'JSON of one partition, in bytes, at which the event archive writes its files; a file is about a tenth of it.',
  ),
  ARCHIVE_FILE_SECONDS: integerSetting({ min: 1, max: 86_400, fallback: 300 }).describe(
    'How long an event waits at most for its file, however little there is.',
  ),
  ARCHIVE_BUFFER_BYTES: integerSetting({ min: 1, max: 64_000_000_000, fallback: 33_554_432 }).describe(
    'JSON of all partitions of a process, in bytes, past which the event archive writes files early.',
  ),
};

const s3Names = ['S3_ENDPOINT', 'S3_ACCESS_KEY', 'S3_SECRET_KEY', 'S3_BUCKET'] as const;

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
    ...objects,
    ...eventArchive,
  })
  .check(({ value, issues }) => {
    const missing = s3Names.filter((name) => value[name] === undefined);
    if (missing.length < s3Names.length) {
      for (const name of missing) {
        issues.push({
          code: 'custom',
          input: value,
          path: [name],
          message: 'required with the other S3_ settings',
        });
      }
    }
    if (missing.length === 0 || value.OBJECTS_FOLDER !== undefined) return;
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
