import { createServer } from 'node:http';
import { Kafka, type Message } from 'kafkajs';

/**
 * The lower bound for a server on Node.js and kafkajs. Each body is one record. It is sent at once if nothing is in
 * flight, and batched otherwise. The floor checks no key and parses nothing.
 */
const topic = process.env['FLOOR_TOPIC'] ?? 'floor';
const brokers = (process.env['KAFKA_BROKERS'] ?? '').split(',');
const producer = new Kafka({ brokers, clientId: 'floor', logLevel: 0 }).producer({
  idempotent: true,
  maxInFlightRequests: 1,
  allowAutoTopicCreation: false,
  createPartitioner:
    () =>
    ({ message }) =>
      message.partition ?? 0,
});
await producer.connect();

let waiting: { message: Message; stored: () => void }[] = [];
let sending = false;
let turn = 0;

async function drain(): Promise<void> {
  sending = true;
  while (waiting.length > 0) {
    const batch = waiting;
    waiting = [];
    await producer.send({ topic, acks: -1, messages: batch.map(({ message }) => message) });
    for (const { stored } of batch) stored();
  }
  sending = false;
}

const answer = Buffer.from('{"accepted":1}');

createServer((request, response) => {
  if (request.method === 'GET') {
    response.end('ready');
    return;
  }
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const [first] = chunks;
    const value = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
    turn = (turn + 1) % 4;
    const stored = () =>
      response
        .writeHead(202, { 'Content-Type': 'application/json', 'Content-Length': answer.length })
        .end(answer);
    waiting.push({ message: { value, partition: turn }, stored });
    if (!sending) void drain();
  });
}).listen(Number(process.env['PORT']), '127.0.0.1');
