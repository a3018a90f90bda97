import type { GroupAccess } from '@switchboard/contracts';
import type {
  ConsumeOptions,
  Consumption,
  EventLog,
  OutgoingRecord,
  RecordBatch,
  StoredRecord,
} from '@switchboard/event-log';
import { measureCalls } from './calls.ts';
import { logMetrics } from './event-log-metrics.ts';
import type { Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';
import { currentScope, inScope } from './scope.ts';
import type { Span, Tracing } from './tracing/tracing.ts';

/** The record header with the id of the request that published it. */
const REQUEST_ID_HEADER = 'request_id';
const MAX_NAMED = 10;

interface Observing {
  /** `kafka` or `postgresql`. */
  system: string;
  logger: Logger;
  metrics: Metrics;
  tracing: Tracing | undefined;
  /** Groups of other programs. Their lag and members are reported. */
  watches: readonly GroupAccess[];
}

type Headers = Readonly<Record<string, string>>;

/**
 * Adds metrics and traces to a log. Every record carries the ids of the request and the span that published it. A
 * consumer's log lines, spans and records carry those of the records that it handles.
 */
export function observeLog(
  log: EventLog,
  { system, logger, metrics, tracing, watches }: Observing,
): EventLog {
  const running = new Map<Consumption, string>();
  const measured = logMetrics(metrics, log, { running, watches });
  // Publishes already have spans.
  const calls = measureCalls({ metrics, dependency: 'event log' });

  function startPublish(topic: string, count: number): Span | undefined {
    if (tracing === undefined) return undefined;
    const attributes = {
      'messaging.system': system,
      'messaging.destination.name': topic,
      'messaging.operation.name': 'send',
      'messaging.operation.type': 'send',
      'messaging.batch.message_count': count,
    };
    const start = { name: `send ${topic}`, kind: 'producer', attributes } as const;
    return currentScope()?.span?.child(start) ?? tracing.start(start, []);
  }

  /** Not async, since it runs for every request. */
  const publish: EventLog['publish'] = (topic, records, fairnessKey) => {
    const count = records.length;
    const span = startPublish(topic, count);
    const marked = marking(currentScope()?.requestId, span, records);
    const endCall = calls('publish');
    const startedAt = performance.now();
    return log.publish(topic, marked, fairnessKey).then(
      (result) => {
        endCall();
        measured.published(topic, count, secondsSince(startedAt));
        span?.end();
        return result;
      },
      (error) => {
        endCall(error);
        measured.notPublished(topic);
        span?.end({ failure: error });
        throw error;
      },
    );
  };

  function startProcess(group: string, { topic, partition, records }: RecordBatch): Span | undefined {
    const attributes = {
      'messaging.system': system,
      'messaging.destination.name': topic,
      'messaging.destination.partition.id': String(partition),
      'messaging.consumer.group.name': group,
      'messaging.operation.name': 'process',
      'messaging.operation.type': 'process',
      'messaging.batch.message_count': records.length,
    };
    const start = { name: `process ${topic}`, kind: 'consumer', attributes } as const;
    return tracing?.start(start, records.map(headersOf));
  }

  function observed(batch: RecordBatch, group: string, span: Span | undefined): RecordBatch {
    return {
      ...batch,
      async deadLetter(record, reason) {
        await batch.deadLetter(record, reason);
        measured.deadLettered(group, record.topic);
        const { topic, partition } = record;
        const fields = { group, topic, partition, offset: String(record.offset), reason };
        inScope({ requestId: record.headers[REQUEST_ID_HEADER], span }, () =>
          logger.warn(fields, 'dead-lettered unreadable record'),
        );
      },
    };
  }

  async function handle(batch: RecordBatch, options: ConsumeOptions): Promise<void> {
    const { group } = options;
    const span = startProcess(group, batch);
    const scope = { requestId: onlyRequest(batch.records), span };
    try {
      await inScope(scope, () => options.handle(observed(batch, group, span)));
      measured.handled(group, batch);
      span?.end();
    } catch (error) {
      measured.notHandled(group, batch.topic);
      span?.end({ failure: error });
      throw error;
    }
  }

  return {
    ...log,
    publish,
    async consume(options) {
      measured.consuming(options.group, options.topics);
      const consumption = await inScope(undefined, () =>
        log.consume({ ...options, handle: (batch) => handle(batch, options) }),
      );
      running.set(consumption, options.group);
      return {
        ...consumption,
        async stop() {
          running.delete(consumption);
          await consumption.stop();
        },
      };
    },
  };
}

/** Returns the records with the ids of the request and the span that publish them. */
function marking(
  requestId: string | undefined,
  span: Span | undefined,
  records: readonly OutgoingRecord[],
): OutgoingRecord[] {
  return records.map(({ partition, key, value, headers }) => {
    // A record that is published again keeps the request that sent it.
    const marked = requestId === undefined ? { ...headers } : { [REQUEST_ID_HEADER]: requestId, ...headers };
    return { partition, key, value, headers: span === undefined ? marked : { ...marked, ...span.headers } };
  });
}

/** Returns the requests that published the records, at most ten, for a log line. */
export function requestsOf(
  records: readonly OutgoingRecord[],
): { requestId: string } | { requestIds: string[] } | undefined {
  const ids = new Set<string>();
  for (const { headers } of records) {
    const id = headers[REQUEST_ID_HEADER];
    if (id !== undefined && ids.size < MAX_NAMED) ids.add(id);
  }
  const [requestId] = ids;
  if (requestId === undefined) return undefined;
  return ids.size === 1 ? { requestId } : { requestIds: [...ids] };
}

/** Returns the request that published all of the records; undefined if there are several. */
function onlyRequest(records: readonly StoredRecord[]): string | undefined {
  const first = records[0]?.headers[REQUEST_ID_HEADER];
  return records.every(({ headers }) => headers[REQUEST_ID_HEADER] === first) ? first : undefined;
}

const headersOf = ({ headers }: StoredRecord): Headers => headers;

const secondsSince = (startedAt: number): number => (performance.now() - startedAt) / 1000;
