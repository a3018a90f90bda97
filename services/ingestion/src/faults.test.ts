import { setTimeout as sleep } from 'node:timers/promises';
import {
  call,
  eventually,
  type KafkaServer,
  postgresServer,
  spawnService,
  startKafka,
} from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { batch, event, KEY, linesOf, startIngestion, type TestIngestion } from './testing/service.ts';

const kafka = await startKafka();

describe.skipIf(kafka === undefined)('a Kafka that fails', () => {
  let broker: KafkaServer;
  let ingestion: TestIngestion;
  beforeAll(async () => {
    if (kafka === undefined) return;
    broker = kafka;
    ingestion = await startIngestion({ kafkaBrokers: broker.brokers });
  });
  afterAll(async () => {
    broker?.resume();
    await ingestion?.stop();
    await broker?.stop();
  });

  const send = (events: unknown[]) => ingestion.post('/v1/events', batch(events));

  it('answers 503 with Retry-After while the broker hangs, and accepts events afterwards', async () => {
    expect((await send([event()])).status).toBe(202);
    broker.pause();
    const answers = await Promise.all(Array.from({ length: 20 }, () => send([event()])));
    for (const answer of answers) {
      expect(answer.status).toBe(503);
      expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      expect(answer.body).toMatchObject({ statusCode: 503, error: 'Service Unavailable' });
    }
    broker.resume();
    await eventually(async () => expect((await send([event()])).status).toBe(202), { withinMs: 20_000 });
  });

  it('accepts events after the broker restarts, and loses none it accepted before', async () => {
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
    const records = await ingestion.published('events');
    const stored = new Set(linesOf(records).map((line) => String(line['event_id'])));
    expect([...accepted].filter((id) => !stored.has(id))).toEqual([]);
  });

  it('answers 503 past its limit on bytes in flight, and keeps the events it accepted', async () => {
    const small = await ingestion.start({ MAX_BYTES_IN_FLIGHT: '1000000' });
    const large = () => event({ properties: { text: 'x'.repeat(400_000) } });
    const post = () => call('POST', `${small.url}/v1/events`, { token: KEY, body: batch([large()]) });
    const answers = await Promise.all(Array.from({ length: 30 }, post));
    const statuses = new Set(answers.map(({ status }) => status));
    expect([...statuses].sort()).toEqual([202, 503]);
    const refused = answers.find(({ status }) => status === 503);
    expect(refused?.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    await eventually(async () => expect((await post()).status).toBe(202));
    await small.stop();
  });

  it('loses no accepted event when it is stopped under load, and exits within 15 s', async () => {
    const service = await ingestion.spawn();
    const accepted: string[] = [];
    let going = true;
    const clients = Array.from({ length: 16 }, async () => {
      while (going) {
        const events = Array.from({ length: 10 }, () => event());
        const response = await fetch(`${service.url}/v1/events`, {
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
    await eventually(() => expect(accepted.length).toBeGreaterThan(2000), { withinMs: 20_000 });
    // A shutdown that exceeds its 15 s ends with 1.
    expect(await service.kill('SIGTERM')).toBe(0);
    expect(service.records().map(({ msg }) => msg)).not.toContain('shutdown timed out');
    going = false;
    await Promise.all(clients);
    const records = await ingestion.published('events');
    const stored = new Set(linesOf(records).map((line) => String(line['event_id'])));
    expect(accepted.filter((id) => !stored.has(id))).toEqual([]);
  });
});

describe('a database that is unavailable', () => {
  it.each(['hangs', 'is stopped'])(
    'accepts events of known keys while its database %s',
    async (fault) => {
      const server = await postgresServer(['ingestion'], { durable: true });
      const ingestion = await startIngestion({ databaseUrl: server.url('ingestion') });
      try {
        expect((await ingestion.post('/v1/events', batch([event()]))).status).toBe(202);
        await (fault === 'hangs' ? server.freeze() : server.stop());
        for (let i = 0; i < 5; i++) {
          expect((await ingestion.post('/v1/events', batch([event()]))).status).toBe(202);
        }
      } finally {
        await server.thaw().catch(() => undefined);
        await ingestion.stop();
        await server.remove();
      }
    },
    60_000,
  );
});

it('names every invalid setting in one message and exits with 1', async () => {
  const program = await spawnService('ingestion', {
    ready: false,
    env: {
      PORT: '99999',
      REGION: 'EU!',
      DATABASE_URL: 'mysql://secret@host/db',
      EVENTS_RETENTION_HOURS: 'forever',
      AUTH_ISSUER: 'https://issuer.example.com',
      AUTH_AUDIENCE: 'switchboard',
      CONSOLE_URL: 'https://console.example.com',
    },
  });
  expect(await program.exited).toBe(1);
  const output = program.lines.join('\n');
  for (const name of ['PORT', 'REGION', 'DATABASE_URL', 'EVENTS_RETENTION_HOURS', 'AUTH_JWKS_URL']) {
    expect(output).toMatch(new RegExp(`^  ${name}: `, 'm'));
  }
  expect(output).not.toContain('secret');
});
