import { ExportResultCode, setGlobalErrorHandler } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { Logger } from '../logger.ts';

/** Opens an OTLP exporter. It logs once when the export starts to fail and once when it recovers. */
export function openExporter(logger: Logger): SpanExporter {
  const exporter = new OTLPTraceExporter();
  let isFailing = false;
  // Failures are logged here. The SDK would write each of them to the console.
  setGlobalErrorHandler(() => undefined);
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const failed = result.code !== ExportResultCode.SUCCESS;
        if (failed && !isFailing)
          logger.warn({ error: result.error }, 'sending traces failed, dropping them');
        if (!failed && isFailing) logger.info('traces are sent again');
        isFailing = failed;
        done(result);
      });
    },
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  };
}
