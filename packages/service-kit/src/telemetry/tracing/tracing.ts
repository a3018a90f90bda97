export type Attributes = Record<string, string | number>;

/** Headers of a request or a record, which may contain W3C `traceparent` and `tracestate`. */
export type Carrier = Readonly<Record<string, string | undefined>>;

export interface SpanStart {
  name: string;
  kind: 'server' | 'producer' | 'consumer' | 'client';
  attributes: Attributes;
}

export interface Outcome {
  /** Replaces the name, if a better one is known at the end. */
  name?: string;
  attributes?: Attributes;
  /** Marks the span as failed. */
  failure?: unknown;
}

/** A piece of work in a trace. */
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
   * Starts a span caused by others. Causes of a single trace are continued; those of several traces are linked from a
   * new trace. Invalid trace contexts are ignored.
   */
  start(start: SpanStart, causes: readonly Carrier[]): Span;
  /** Exports pending spans within 2 s. Never throws. */
  close(): Promise<void>;
}
