import {
  type Context,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type TextMapGetter,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { withDeadline } from '@switchboard/resilience';
import type { Logger } from '../logger.ts';
import { openExporter } from './exporter.ts';
import { resourceOf } from './resource.ts';
import { samplerOf } from './sampler.ts';
import type { TracingSettings } from './settings.ts';
import type { Carrier, Span, SpanStart, Tracing } from './tracing.ts';

const FLUSH_MS = 2_000;

const KINDS = {
  server: SpanKind.SERVER,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  client: SpanKind.CLIENT,
};

const w3c = new W3CTraceContextPropagator();
const getter: TextMapGetter<Carrier> = {
  get: (carrier, name) => carrier[name],
  keys: (carrier) => Object.keys(carrier),
};

/**
 * Opens tracing with the OpenTelemetry SDK, exported in batches over OTLP. Not global, since services may share a
 * process.
 */
export function openTracing(options: {
  service: string;
  settings: TracingSettings;
  logger: Logger;
}): Tracing {
  const { service, settings, logger } = options;
  const provider = new TracerProvider({
    resource: resourceOf(service),
    sampler: samplerOf(settings),
    // Clients must not be able to make a span large.
    spanLimits: { attributeValueLengthLimit: 1_024 },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: openExporter(logger),
        maxQueueSize: settings.OTEL_BSP_MAX_QUEUE_SIZE,
        maxExportBatchSize: settings.OTEL_BSP_MAX_EXPORT_BATCH_SIZE,
        scheduledDelayMillis: settings.OTEL_BSP_SCHEDULE_DELAY,
        exportTimeoutMillis: settings.OTEL_BSP_EXPORT_TIMEOUT,
      }),
    ],
  });
  const tracer = provider.getTracer('switchboard');

  function begin({ name, kind, attributes }: SpanStart, parent: Context, links: Context[]): Span {
    const linked = links.flatMap((one) => trace.getSpanContext(one) ?? []);
    const span = tracer.startSpan(
      name,
      { kind: KINDS[kind], attributes, links: linked.map((context) => ({ context })) },
      parent,
    );
    return spanOf(span);
  }

  function spanOf(span: OtelSpan): Span {
    const { traceId, spanId } = span.spanContext();
    const context = trace.setSpan(ROOT_CONTEXT, span);
    const headers: Record<string, string> = {};
    w3c.inject(context, headers, { set: (carrier, name, value) => (carrier[name] = value) });
    return {
      traceId,
      spanId,
      headers,
      child: (start) => begin(start, context, []),
      end({ name, attributes, failure } = {}) {
        if (name !== undefined) span.updateName(name);
        if (attributes !== undefined) span.setAttributes(attributes);
        if (failure !== undefined) {
          // Only the name: a driver's message may contain values of a query.
          const type = failure instanceof Error ? failure.name : String(failure);
          span.setAttribute('error.type', type);
          span.setStatus({ code: SpanStatusCode.ERROR });
        }
        span.end();
      },
    };
  }

  return {
    start(start, causes) {
      const contexts = contextsOf(causes);
      const [first = ROOT_CONTEXT, ...others] = contexts;
      const isOneTrace = others.every((one) => traceIdOf(one) === traceIdOf(first));
      return isOneTrace ? begin(start, first, others) : begin(start, ROOT_CONTEXT, contexts);
    },
    async close() {
      await withDeadline(FLUSH_MS, provider.shutdown()).catch(() => undefined);
    },
  };
}

/** Returns the valid contexts without duplicates. */
function contextsOf(causes: readonly Carrier[]): Context[] {
  const seen = new Map<string, Context>();
  for (const cause of causes) {
    const parent = cause['traceparent'];
    if (parent === undefined || seen.has(parent)) continue;
    const context = w3c.extract(ROOT_CONTEXT, cause, getter);
    if (trace.getSpanContext(context) !== undefined) seen.set(parent, context);
  }
  return [...seen.values()];
}

function traceIdOf(context: Context): string | undefined {
  return trace.getSpanContext(context)?.traceId;
}
