import { ROOT_CONTEXT, SpanKind } from '@opentelemetry/api';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  RandomIdGenerator,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';
import type { TracingSettings } from './settings.ts';

/**
 * Returns the sampler of OTEL_TRACES_SAMPLER. It decides for each request as for a new trace: callers are untrusted
 * and must not influence it by the flag or the id of the trace that they send.
 */
export function samplerOf(settings: TracingSettings): Sampler {
  const { OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio } = settings;
  switch (name) {
    case 'always_on':
      return new AlwaysOnSampler();
    case 'always_off':
      return new AlwaysOffSampler();
    case 'traceidratio': {
      const root = new TraceIdRatioBasedSampler(ratio);
      return ownDecision(root, { remoteParentSampled: root, remoteParentNotSampled: root });
    }
    case 'parentbased_always_on':
      return ownDecision(new AlwaysOnSampler());
    case 'parentbased_always_off':
      return ownDecision(new AlwaysOffSampler());
    case 'parentbased_traceidratio':
      return ownDecision(new TraceIdRatioBasedSampler(ratio));
  }
}

interface OfRemoteParents {
  remoteParentSampled?: Sampler;
  remoteParentNotSampled?: Sampler;
}

function ownDecision(root: Sampler, remote: OfRemoteParents = {}): Sampler {
  const ids = new RandomIdGenerator();
  const byParent = new ParentBasedSampler({ root, ...remote });
  return {
    shouldSample(context, traceId, name, kind, attributes, links) {
      if (kind !== SpanKind.SERVER) {
        return byParent.shouldSample(context, traceId, name, kind, attributes, links);
      }
      return root.shouldSample(ROOT_CONTEXT, ids.generateTraceId(), name, kind, attributes, links);
    },
    toString: () => byParent.toString(),
  };
}
