import { call, eventually, type Program, processUsage, startKafka } from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { batch, event, KEY, linesOf, startIngestion, type TestIngestion } from './testing/service.ts';

const kafka = await startKafka();
/** A busy machine takes long to load the modules of three processes one after another. */
const TIMEOUT_MS = 240_000;
const BYTES_PER_SECOND = 20_000;

describe.skipIf(kafka === undefined)('two workers on Kafka', { timeout: TIMEOUT_MS }, () => {
  let ingestion: TestIngestion;
  let program: Program;
  beforeAll(async () => {
    ingestion = await startIngestion({ kafkaBrokers: kafka?.brokers });
    program = await ingestion.spawn({
      env: { WORKERS: '2', BYTES_PER_ADDRESS_PER_SECOND: String(BYTES_PER_SECOND), TRUSTED_PROXY_HOPS: '1' },
      readyWithinMs: TIMEOUT_MS,
    });
  }, TIMEOUT_MS);
  afterAll(async () => {
    await ingestion?.stop();
    await kafka?.stop();
  });

  /** Sends a request on a new connection, so that workers take turns. */
  const send = (body: unknown, address: string) =>
    call('POST', `${program.url}/v1/events`, {
      body,
      headers: { Authorization: `Bearer ${KEY}`, Connection: 'close', 'X-Forwarded-For': address },
    });
  const logged = (msg: string) => program.records().filter((line) => line['msg'] === msg);

  it('uses memory only in workers, since their supervisor does not load the service', async () => {
    await eventually(() => expect(logged('all workers ready')).toHaveLength(1), { withinMs: TIMEOUT_MS });
    const pids: number[] = Object(logged('all workers ready')[0]?.['pids']);
    // Measured at the same time, because the processes still grow.
    const [all = 0, first = 0, second = 0] = await Promise.all(
      [program.pid, ...pids].map((pid) => processUsage(pid).residentMb()),
    );
    expect(all - first - second).toBeLessThan(Math.min(first, second) * 0.75);
  });

  it('stores every accepted event, also when a worker is killed and while workers stop', async () => {
    await ingestion.published('events');
    const accepted = new Set<string>();
    const refused = new Set<number>();
    let stopping = false;
    const client = async (number: number) => {
      for (let i = 0; !stopping; i++) {
        const one = event();
        const answer = await send(batch([one]), `10.${number}.${i >> 8}.${i & 255}`).catch(() => undefined);
        if (answer?.status === 202) accepted.add(one.event_id);
        else if (answer !== undefined) refused.add(answer.status);
      }
    };
    const clients = [1, 2, 3].map(client);
    await eventually(() => expect(accepted.size).toBeGreaterThan(10));
    process.kill(Object(logged('all workers ready')[0]?.['pids'])[1], 'SIGKILL');
    await eventually(() => expect(logged('ready')).toHaveLength(3), { withinMs: TIMEOUT_MS });
    const before = accepted.size;
    await eventually(() => expect(accepted.size).toBeGreaterThan(before + 10));
    const ended = program.kill('SIGTERM');
    await eventually(() => expect(logged('shutting down').length).toBeGreaterThan(0));
    expect(await ended).toBe(0);
    stopping = true;
    await Promise.all(clients);
    expect([...refused].filter((status) => status !== 503)).toEqual([]);
    const stored = new Set(linesOf(await ingestion.published('events')).map((line) => line['event_id']));
    expect([...accepted].filter((id) => !stored.has(id))).toEqual([]);
    await program.restart();
  });

  it('applies one quota across workers without Redis', async () => {
    const body = batch([event({ properties: { text: 'x'.repeat(3_000) } })]);
    const began = performance.now();
    const answers = [];
    for (let i = 0; i < 40; i++) answers.push(await send(body, '198.51.100.1'));
    const seconds = (performance.now() - began) / 1_000;
    const accepted = answers.filter(({ status }) => status === 202);
    expect(answers.map(({ status }) => status)).toContain(429);
    // Allows a burst of two seconds. Each worker may exceed the quota by one body.
    const most = BYTES_PER_SECOND * (2 + seconds);
    const counted = JSON.stringify(body).length + 1_000;
    expect((accepted.length - 2) * counted).toBeLessThan(most);
  });
});
