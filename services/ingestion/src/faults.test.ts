import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, freePort, type KafkaServer, startKafka } from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  batch,
  event,
  KEY,
  linesOf,
  readTopic,
  startIngestion,
  type TestIngestion,
} from './testing/service.ts';

const main = join(import.meta.dirname, 'main.ts');

/** This service as a process of its own. */
function startProcess(env: Record<string, string>) {
  const child = spawn(process.execPath, [main], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (text) => (output += text));
  child.stderr.on('data', (text) => (output += text));
  return { child, output: () => output, left: once(child, 'exit') };
}

const kafka = await startKafka();

describe.skipIf(kafka === undefined)('with Kafka at fault', () => {
  let broker: KafkaServer;
  let ingestion: TestIngestion;
  beforeAll(async () => {
    if (kafka === undefined) return;
    broker = kafka;
    ingestion = await startIngestion({ KAFKA_BROKERS: broker.brokers.join(',') });
  });
  afterAll(async () => {
    broker?.resume();
    await ingestion?.stop();
    await broker?.stop();
  });

  const send = (events: unknown[]) => ingestion.post('/v1/events', batch(events));

  it('answers 503 with Retry-After within 5 s while the broker hangs, and takes events when it is back', async () => {
    expect((await send([event()])).status).toBe(202);
    broker.pause();
    const began = performance.now();
    const answers = await Promise.all(Array.from({ length: 20 }, () => send([event()])));
    expect(performance.now() - began).toBeLessThan(6_000);
    for (const answer of answers) {
      expect(answer.status).toBe(503);
      expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      expect(answer.body).toMatchObject({ statusCode: 503, error: 'Service Unavailable' });
    }
    broker.resume();
    await eventually(async () => expect((await send([event()])).status).toBe(202), { withinMs: 20_000 });
  }, 60_000);

  it('takes events again after the broker was killed and started, none of the accepted is lost', async () => {
    const accepted = new Set<string>();
    let going = true;
    const clients = Array.from({ length: 4 }, async () => {
      while (going) {
        const one = event();
        const answer = await send([one]).catch(() => undefined);
        if (answer?.status === 202) accepted.add(one.event_id);
        else expect(answer?.status).toBe(503);
      }
    });
    await sleep(300);
    await broker.kill();
    await sleep(300);
    await broker.restart();
    const before = accepted.size;
    await eventually(() => expect(accepted.size).toBeGreaterThan(before + 20), { withinMs: 30_000 });
    going = false;
    await Promise.all(clients);
    const { records } = await readTopic(ingestion.log, 'events');
    const stored = new Set(linesOf(records).map((line) => String(line['event_id'])));
    expect([...accepted].filter((id) => !stored.has(id))).toEqual([]);
  }, 90_000);

  it('answers 503 past its bound on bytes in flight, and keeps what it accepted', async () => {
    const small = await startIngestion(
      { KAFKA_BROKERS: broker.brokers.join(',') },
      { MAX_BYTES_IN_FLIGHT: '1000000' },
    );
    try {
      const large = () => event({ properties: { text: 'x'.repeat(400_000) } });
      const answers = await Promise.all(
        Array.from({ length: 30 }, () => small.post('/v1/events', batch([large()]))),
      );
      const statuses = new Set(answers.map(({ status }) => status));
      expect([...statuses].sort()).toEqual([202, 503]);
      const refused = answers.find(({ status }) => status === 503);
      expect(refused?.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      await eventually(async () =>
        expect((await small.post('/v1/events', batch([large()]))).status).toBe(202),
      );
    } finally {
      await small.stop();
    }
  });

  it('loses nothing it accepted when it is told to leave under load, and leaves within 15 s', async () => {
    const port = await freePort();
    const service = startProcess({ ...ingestion.env, PORT: String(port), LOG_LEVEL: 'info' });
    const url = `http://127.0.0.1:${port}`;
    await eventually(async () => expect((await fetch(`${url}/health/ready`)).status).toBe(200), {
      withinMs: 20_000,
    });
    const accepted: string[] = [];
    let going = true;
    const clients = Array.from({ length: 16 }, async () => {
      while (going) {
        const events = Array.from({ length: 10 }, () => event());
        const response = await fetch(`${url}/v1/events`, {
          method: 'POST',
          headers: { Authorization: `Bearer ${KEY}` },
          body: JSON.stringify(batch(events)),
        }).catch(() => undefined);
        if (response === undefined) return;
        if (response.status === 202) accepted.push(...events.map(({ event_id }) => event_id));
        else expect(response.status).toBe(503);
        await response.arrayBuffer().catch(() => undefined);
      }
    });
    await eventually(() => expect(accepted.length).toBeGreaterThan(2000));
    const began = performance.now();
    service.child.kill('SIGTERM');
    const [code] = await service.left;
    expect(code).toBe(0);
    expect(performance.now() - began).toBeLessThan(15_000);
    going = false;
    await Promise.all(clients);
    const { records } = await readTopic(ingestion.log, 'events');
    const stored = new Set(linesOf(records).map((line) => String(line['event_id'])));
    expect(accepted.filter((id) => !stored.has(id))).toEqual([]);
    expect(service.output()).toContain('"msg":"left"');
  }, 60_000);
});

it('says in one message which settings are wrong, and leaves with 1', async () => {
  const { output, left } = startProcess({
    PORT: '99999',
    REGION: 'EU!',
    DATABASE_URL: 'mysql://secret@host/db',
    EVENTS_RETENTION_HOURS: 'forever',
    AUTH_ISSUER: 'https://issuer.example.com',
    AUTH_AUDIENCE: 'switchboard',
    CONSOLE_URL: 'https://console.example.com',
  });
  const [code] = await left;
  expect(code).toBe(1);
  for (const name of ['PORT', 'REGION', 'DATABASE_URL', 'EVENTS_RETENTION_HOURS', 'AUTH_JWKS_URL']) {
    expect(output()).toMatch(new RegExp(`^  ${name}: `, 'm'));
  }
  expect(output()).not.toContain('secret');
});
