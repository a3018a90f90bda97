export type Attributes = Record<string, string | number>;

/** Headers of a request or a record, which may hold W3C `traceparent` and `tracestate`. */
export type Carrier = Readonly<Record<string, string | undefined>>;

export interface SpanStart {
  name: string;
  kind: 'server' | 'producer' | 'consumer' | 'client';
  attributes: Attributes;
}

export interface Outcome {
  /** A better name than the first one, where it is known only now. */
  name?: string;
  attributes?: Attributes;
  /** Makes the span one of an error. */
  failure?: unknown;
}

/** A piece of work in a trace. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  /** `traceparent` and `tracestate` of what this causes elsewhere. */
  readonly headers: Readonly<Record<string, string>>;
  child(start: SpanStart): Span;
  end(outcome?: Outcome): void;
}

/** Traces of one service. Absent when tracing is off: then nothing of OpenTelemetry is loaded. */
export interface Tracing {
  /**
   * Begins a span of what others have caused. Causes of one trace are continued; of several, they are linked to
   * from a trace of its own. A cause that is no valid trace context counts as none.
   */
  start(start: SpanStart, causes: readonly Carrier[]): Span;
  /** Sends what is left, for 2 s at most. Never throws. */
  close(): Promise<void>;
}
