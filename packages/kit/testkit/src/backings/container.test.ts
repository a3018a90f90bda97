import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, inject, it } from 'vitest';
import { wantsContainers } from './container.ts';
import { kafkaBrokers } from './kafka.ts';
import { redisUrl } from './redis.ts';
import { s3Access } from './s3.ts';

it.skipIf(!wantsContainers())(
  'tests share containers of Kafka, PostgreSQL, Redis and S3',
  async () => {
    await Promise.all([kafkaBrokers(), redisUrl(), s3Access()]);
    expect(inject('postgresUrl')).toContain('postgres');
    const { stdout } = await promisify(execFile)('docker', ['ps', '--format', '{{.Image}}']);
    for (const image of ['apache/kafka', 'postgres', 'redis', 'versity/versitygw']) {
      expect(stdout).toMatch(new RegExp(`^([\\w.]+/)*${image}:`, 'm'));
    }
  },
  240_000,
);
