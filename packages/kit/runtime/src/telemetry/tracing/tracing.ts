export type Attributes = Record<string, string | number>;

/** Headers of a request or a record. They may contain W3C `traceparent` and `tracestate`. */
export type Carrier = Readonly<Record<string, string | undefined>>;

export interface SpanStart {
  name: string;
  kind: 'server' | 'producer' | 'consumer' | 'client';
  attributes: Attributes;
}

export interface Outcome {
  /** A better name that is known only at the end. */
  name?: string;
  attributes?: Attributes;
  /** Marks the span as failed. */
  failure?: unknown;
}

/** A unit of work in a trace. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  /** `traceparent` and `tracestate` for downstream work. */
  readonly headers: Readonly<Record<string, string>>;
  child(start: SpanStart): Span;
  end(outcome?: Outcome): void;
}

/** Traces of one service. If tracing is off, OpenTelemetry is not loaded at all. */
export interface Tracing {
  /**
   * Starts a span with its causes. Continues the trace if all causes share one. Otherwise starts a new trace that
   * links to theirs. Ignores invalid trace contexts.
   */
  start(start: SpanStart, causes: readonly Carrier[]): Span;
  /** Exports pending spans within 2 s. Never throws. */
  close(): Promise<void>;
}
