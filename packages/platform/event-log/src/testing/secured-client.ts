import { openKafkaLog } from '../index.ts';
import { record } from './records.ts';

/** Publishes and reads a record in a separate process, because Node reads NODE_EXTRA_CA_CERTS at start. */
const [broker = '', mechanism = '', password = ''] = process.argv.slice(2);

const log = openKafkaLog({
  brokers: [broker],
  clientId: 'secured',
  publishTimeoutMs: 3_000,
  tls: true,
  sasl: { mechanism: mechanism === 'plain' ? 'plain' : 'scram-sha-512', username: 'switchboard', password },
});
try {
  await log.createTopics([{ name: 'secured', partitions: 1, replication: 1, cleanup: 'delete' }]);
  await log.publish('secured', [record(mechanism)]);
  const read = Promise.withResolvers<string>();
  const consumption = await log.consume({
    group: `readers-${mechanism}`,
    topics: ['secured'],
    handle: async ({ records }) => read.resolve(records.map(({ value }) => String(value)).join()),
  });
  process.stdout.write(await read.promise);
  await consumption.stop();
} catch (error) {
  process.stdout.write(error instanceof Error ? `${error.name}: ${error.message}` : String(error));
} finally {
  await log.close();
}
