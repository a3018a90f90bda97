// Prints the topic events: KAFKA_BROKERS=localhost:9092 node read-events.mjs (needs kafkajs and Node 22.15 or newer).
import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import kafkajs from 'kafkajs';

const decompress = promisify(zstdDecompress);
kafkajs.CompressionCodecs[kafkajs.CompressionTypes.ZSTD] = () => ({
  decompress: (buffer) => decompress(buffer),
});

const brokers = process.env.KAFKA_BROKERS.split(',');
const kafka = new kafkajs.Kafka({ brokers, clientId: 'example', logLevel: kafkajs.logLevel.ERROR });
const consumer = kafka.consumer({ groupId: 'example' });
await consumer.connect();
await consumer.subscribe({ topics: ['events'], fromBeginning: true });
await consumer.run({
  eachMessage: async ({ message }) => {
    const project = message.headers.project.toString();
    for (const line of message.value.toString().split('\n')) {
      const event = JSON.parse(line);
      console.log(project, event.occurred_at, event.distinct_id, event.event_name);
    }
  },
});
