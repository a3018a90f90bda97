import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually, startKafka } from '@switchboard/testkit';
import { describe, expect, it } from 'vitest';
import { batch, event, PROJECT, startIngestion } from './testing/service.ts';

const kafka = await startKafka();
const EXAMPLE = join(import.meta.dirname, '../../../docs/examples/read-events.mjs');
/** A folder where the program's import of kafkajs resolves. */
const folder = join(import.meta.dirname, '../node_modules/.examples');

describe.skipIf(kafka === undefined)('docs/examples/read-events.mjs', () => {
  it('reads the events with docs/examples/read-events.mjs', async () => {
    const brokers = kafka?.brokers.join(',') ?? '';
    await mkdir(folder, { recursive: true });
    const file = join(folder, 'read-events.mjs');
    await copyFile(EXAMPLE, file);
    const ingestion = await startIngestion({ kafkaBrokers: kafka?.brokers });
    // Enough events to be compressed.
    const events = Array.from({ length: 500 }, (_, i) =>
      event({ distinct_id: `user-${i}`, properties: { text: 'x'.repeat(200) } }),
    );
    expect((await ingestion.post('/v1/events', batch(events))).status).toBe(202);

    const reader = spawn(process.execPath, [file], {
      env: { PATH: process.env['PATH'], KAFKA_BROKERS: brokers },
    });
    let output = '';
    reader.stdout.on('data', (text) => (output += text));
    reader.stderr.on('data', (text) => (output += text));
    try {
      await eventually(
        () => {
          const lines = output.trim().split('\n');
          for (const { distinct_id, timestamp } of events) {
            expect(lines).toContain(`${PROJECT} ${timestamp} ${distinct_id} page viewed`);
          }
        },
        { withinMs: 20_000 },
      );
    } finally {
      const left = once(reader, 'exit');
      reader.kill('SIGKILL');
      await left;
      await ingestion.stop();
      await kafka?.stop();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
