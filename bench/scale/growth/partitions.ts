import { startKafka } from '@switchboard/testkit';
import { deploy } from '../../ingestion/deployment.ts';
import { measure } from '../../ingestion/measure.ts';
import { installed } from '../../lib/backings.ts';
import type { Dimension } from './path.ts';

const EVENTS = 100;
const LOAD = { eventsPerRequest: EVENTS, connections: 8 };

/** Varies the number of partitions of the topics on Kafka, with a separate broker for each number. */
export async function partitions(): Promise<Dimension> {
  return {
    of: 'partitions',
    sizes: [1, 4, 16, 64],
    fill: async () => undefined,
    paths: [
      {
        name: 'CPU of 100 events',
        bound: 'constant',
        unit: 'ms',
        async measure(size) {
          const kafka = installed('kafka', await startKafka());
          const deployment = await deploy(kafka.brokers, {
            flags: [],
            partitions: size,
            workers: ['1'],
            peer: undefined,
          });
          try {
            const [service] = deployment.services;
            if (service === undefined) throw new Error('the ingestion service was not started');
            await measure(service, { ...LOAD, seconds: 2 });
            const { cpuMicrosPerEvent } = await measure(service, { ...LOAD, seconds: 3 });
            return (cpuMicrosPerEvent * EVENTS) / 1_000;
          } finally {
            await deployment.stop();
            await kafka.stop();
          }
        },
      },
    ],
    stop: async () => undefined,
  };
}
