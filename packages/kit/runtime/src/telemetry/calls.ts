import type { Measure } from '@switchboard/resilience';
import type { Metrics } from './metrics.ts';
import { currentScope } from './scope.ts';
import type { Attributes, Span, Tracing } from './tracing/tracing.ts';

interface CallsOptions {
  metrics: Metrics;
  /** Creates spans of the calls; absent if tracing is off or the calls already have spans. */
  tracing?: Tracing | undefined;
  /** The name of the dependency in metrics. */
  dependency: string;
  /** OpenTelemetry's name of the system: `postgresql`. */
  system?: string;
}

/** Counts and times calls of a dependency, and creates spans of those on behalf of a traced request. */
export function measureCalls({ metrics, tracing, dependency, system }: CallsOptions): Measure {
  function start(operation: string, subject: (() => string) | undefined): Span | undefined {
    const parent = currentScope()?.span;
    if (parent === undefined) return undefined;
    const attributes: Attributes = {
      'peer.service': dependency,
      ...(system !== undefined && { 'db.system.name': system, 'db.operation.name': operation }),
    };
    return parent.child({ name: subject?.() ?? operation, kind: 'client', attributes });
  }

  return (operation, subject) => {
    const span = tracing && start(operation, subject);
    const startedAt = performance.now();
    return (failure) => {
      const seconds = (performance.now() - startedAt) / 1000;
      metrics.called(dependency, operation, failure === undefined ? 'ok' : 'error', seconds);
      span?.end(failure === undefined ? {} : { failure });
    };
  };
}
