import { openKafkaLog, openPostgresLog, partitionFor } from '@switchboard/event-log';
import {
  eventually,
  type Harness,
  kafkaBrokers,
  type OtlpReceiver,
  type Program,
  startKafka,
  startOtlpReceiver,
} from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProject, openProcessHarness, READY_WITHIN_MS } from './harness.ts';

/** Topics have fixed names, so the test starts its own broker. */
const isKafkaAvailable = (await kafkaBrokers()) !== undefined;

describe.each(['PostgreSQL', ...(isKafkaAvailable ? ['Kafka'] : [])])(
  'traces with the event log on %s',
  (kind) => {
    let kafka: Awaited<ReturnType<typeof startKafka>>;
    let receiver: OtlpReceiver;
    let harness: Harness;
    let ingestion: Program;
    let flags: Program;
    let key: string;
    beforeAll(async () => {
      receiver = await startOtlpReceiver();
      if (kind === 'Kafka') kafka = await startKafka();
      harness = await openProcessHarness(kafka?.brokers);
      const start = (name: string, env: Record<string, string>) =>
        harness.spawn(name, { env, readyWithinMs: READY_WITHIN_MS });
      const tracing = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint, OTEL_BSP_SCHEDULE_DELAY: '100' };
      await start('catalogue', tracing);
      // Exports traces on SIGTERM only.
      const late = {
        OTEL_BSP_SCHEDULE_DELAY: '600000',
        OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      };
      [ingestion, flags] = await Promise.all([
        start('ingestion', { ...tracing, ...late }),
        start('flags', tracing),
      ]);
      key = await createProject(harness);
    });
    afterAll(async () => {
      await harness?.stop();
      await receiver.stop();
      await kafka?.stop();
    });

    const spans = (name: string, service: string) =>
      receiver.spans.filter((span) => span.name === name && span.service === service);

    it('an identify call is one trace, from the client through the event log to user state', async () => {
      const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
      const headers = {
        Authorization: `Bearer ${key}`,
        'X-Request-Id': 'the-request',
        traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
      };
      const body = JSON.stringify({ distinct_id: 'ada', properties: { distinct_id: 'ada', plan: 'pro' } });
      await eventually(async () => {
        const response = await fetch(`${ingestion.url}/v1/identify`, { method: 'POST', body, headers });
        expect(response.status).toBe(202);
      });
      const consumed = await eventually(async () => {
        const [span] = spans('process identifies', 'flags').filter((one) => one.traceId === traceId);
        if (span === undefined) throw new Error('not consumed yet');
        return span;
      });
      expect(await ingestion.stop()).toBe(0);
      const [sent] = spans('send identifies', 'ingestion');
      const server = spans('POST /v1/identify', 'ingestion').at(-1);
      expect(server).toMatchObject({ traceId, parentSpanId: '00f067aa0ba902b7', kind: 'server' });
      expect(server?.attributes).toMatchObject({
        'http.route': '/v1/identify',
        'http.response.status_code': 202,
        'switchboard.request_id': 'the-request',
        'switchboard.project_id': 'p1',
      });
      expect(sent).toMatchObject({ traceId, parentSpanId: server?.spanId, kind: 'producer' });
      expect(sent?.attributes).toMatchObject({
        'messaging.system': kind.toLowerCase(),
        'messaging.destination.name': 'identifies',
      });
      expect(consumed).toMatchObject({ traceId, parentSpanId: sent?.spanId, kind: 'consumer' });
      expect(consumed.attributes).toMatchObject({ 'messaging.consumer.group.name': 'flags.user-state' });
      const line = ingestion.records().findLast(({ msg }) => msg === 'request');
      expect(line).toMatchObject({ requestId: 'the-request', trace_id: traceId, span_id: server?.spanId });
    });

    it('a directory change is one trace from its publication to the replica', async () => {
      await eventually(async () => {
        const sent = spans('send directory', 'catalogue').map(({ spanId }) => spanId);
        const applied = spans('process directory', 'flags');
        const causes = applied.flatMap(({ parentSpanId, links }) => [
          parentSpanId,
          ...links.map((l) => l.spanId),
        ]);
        expect(causes.filter((cause) => sent.includes(cause))).not.toEqual([]);
      });
    });

    it('the log line about an unreadable record names the request that published it', async () => {
      const log = kafka
        ? openKafkaLog({ brokers: kafka.brokers, clientId: 'test' })
        : openPostgresLog({ url: harness.logUrl });
      const headers = { request_id: 'the-culprit' };
      const partition = partitionFor('p1:ada', 4);
      await log.publish('identifies', [{ partition, key: 'p1:ada', value: Buffer.from('{'), headers }]);
      await log.close();
      const line = await eventually(async () => {
        const found = flags.records().find(({ msg }) => /dead-letter/.test(String(msg)));
        if (found === undefined) throw new Error('not logged yet');
        return found;
      });
      expect(line).toMatchObject({
        requestId: 'the-culprit',
        topic: 'identifies',
        group: 'flags.user-state',
      });
    });
  },
);
