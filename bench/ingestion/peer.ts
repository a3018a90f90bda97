import { connect } from 'node:net';
import { freePort, type Program, redisUrl, spawnProgram } from '@switchboard/testkit';
import { installed } from '../lib/backings.ts';

/** Starts PostHog's capture (github.com/PostHog/hog-rs) with a Redis. All events go to one topic. */
export async function startCapture(binary: string, brokers: string[], topic: string): Promise<Program> {
  const redis = installed('redis', await redisUrl());
  const topics = [
    'KAFKA_TOPIC',
    'KAFKA_HISTORICAL_TOPIC',
    'KAFKA_CLIENT_INGESTION_WARNING_TOPIC',
    'KAFKA_EXCEPTIONS_TOPIC',
    'KAFKA_HEATMAPS_TOPIC',
  ];
  const port = await freePort();
  return spawnProgram({
    command: [binary],
    port,
    env: {
      ADDRESS: `127.0.0.1:${port}`,
      REDIS_URL: redis,
      KAFKA_HOSTS: brokers.join(','),
      ...Object.fromEntries(topics.map((name) => [name, topic])),
      // As in our service, every replica stores an event before the response. The default linger of 20 ms makes it
      // slower here.
      KAFKA_PRODUCER_ACKS: 'all',
      KAFKA_PRODUCER_LINGER_MS: '5',
      KAFKA_COMPRESSION_CODEC: 'none',
      OVERFLOW_ENABLED: 'false',
      OVERFLOW_PER_SECOND_LIMIT: '1000000000',
      OVERFLOW_BURST_LIMIT: '1000000000',
      PRINT_SINK: 'false',
      RUST_LOG: 'error',
    },
    ready: () => accepts(port),
    output: 'inherit',
  });
}

function accepts(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve();
    });
    socket.on('error', reject);
  });
}
