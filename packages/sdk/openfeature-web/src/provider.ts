import {
  ErrorCode,
  type EvaluationContext,
  InvalidContextError,
  type JsonValue,
  OpenFeatureEventEmitter,
  type Provider,
  ProviderEvents,
  type ResolutionDetails,
  type TrackingEventDetails,
} from '@openfeature/web-sdk';

/** A client that sends events, such as that of `@switchboard/browser`. */
export interface Tracker {
  track(name: string, properties?: Record<string, unknown>): unknown;
}

export interface Options {
  /** The public project key, `pk_<region>_...`. */
  key: string;
  /** URL of the API, such as `https://api.example.com`. */
  host: string;
  /** Without it, `track` does nothing. */
  tracker?: Tracker;
  /**
   * Whether to report how often each flag served which variation, without people, once a minute. Default: true. With
   * false, the server counts each evaluation of all flags.
   */
  usage?: boolean;
}

interface Flag {
  key: string;
  value?: unknown;
  variant?: string;
  reason?: string;
  metadata?: { reason?: string };
  errorCode?: string;
  errorDetails?: string;
}

const TIMEOUT_MS = 10_000;
/** The polling interval without a stream of changes. */
const POLL_MS = 30_000;
const MAX_RETRY_MS = 60_000;
/** The server sends a beat every 30 s. A stream that is silent for longer is dead, although it appears open. */
const SILENT_MS = 75_000;
const REPORT_MS = 60_000;
/** About half of the bytes that a closing page may send. */
const MAX_REPORTED = 400;

/**
 * Switchboard's flags for `@openfeature/web-sdk`. The server evaluates them, with the attributes of the context
 * taking precedence over the stored traits of `targetingKey`, and again when a flag or the context changes. A boolean
 * flag that is off is `false`. For a flag of another type that is off, the default of your code applies.
 *
 * Values of another `targetingKey` are never used: defaults apply until the new ones are received. After a failed
 * request, the provider retries with a growing wait and emits PROVIDER_READY when it succeeds.
 *
 * Emits PROVIDER_CONFIGURATION_CHANGED with the keys of flags that have another value, variant or reason.
 */
export class SwitchboardProvider implements Provider {
  readonly metadata = { name: 'switchboard' };
  readonly runsOn = 'client';
  readonly events = new OpenFeatureEventEmitter();
  readonly #options: Options;
  /** Undefined until the flags of this `targetingKey` are known. */
  #flags: ReadonlyMap<string, Flag> | undefined;
  #context: EvaluationContext = {};
  #etag: string | undefined;
  #stream: EventSource | undefined;
  #streamUrl: string | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #silence: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;
  /** Whether OpenFeature was notified that the start or the last change of context failed. */
  #isFailed = false;
  #round = 0;
  /** The last request that received a response. */
  #answered = 0;
  #isClosed = false;
  readonly #uses = new Map<string, { flag: string; variation: string; count: number }>();
  #reporting: ReturnType<typeof setTimeout> | undefined;

  constructor(options: Options) {
    this.#options = { ...options, host: options.host.replace(/\/+$/, '') };
  }

  async initialize(context: EvaluationContext = {}): Promise<void> {
    this.#isClosed = false;
    await this.#change(context);
  }

  async onContextChange(_: EvaluationContext, context: EvaluationContext): Promise<void> {
    await this.#change(context);
  }

  async onClose(): Promise<void> {
    this.#isClosed = true;
    this.#report();
    this.#stream?.close();
    this.#stream = undefined;
    clearTimeout(this.#timer);
    clearTimeout(this.#silence);
  }

  resolveBooleanEvaluation(key: string, fallback: boolean) {
    return this.#resolve(key, fallback, (value) => typeof value === 'boolean');
  }

  resolveStringEvaluation(key: string, fallback: string) {
    return this.#resolve(key, fallback, (value) => typeof value === 'string');
  }

  resolveNumberEvaluation(key: string, fallback: number) {
    return this.#resolve(key, fallback, (value) => typeof value === 'number');
  }

  resolveObjectEvaluation<T extends JsonValue>(key: string, fallback: T) {
    return this.#resolve(key, fallback, (value): value is T => typeof value === 'object');
  }

  track(name: string, _: EvaluationContext, details: TrackingEventDetails = {}): void {
    this.#options.tracker?.track(name, { ...details });
  }

  #resolve<T>(key: string, value: T, isOfType: (value: unknown) => value is T): ResolutionDetails<T> {
    const failed = (errorCode: ErrorCode) => ({ value, reason: 'ERROR', errorCode });
    if (this.#flags === undefined) return failed(ErrorCode.PROVIDER_NOT_READY);
    const flag = this.#flags.get(key);
    if (flag === undefined) return failed(ErrorCode.FLAG_NOT_FOUND);
    this.#use(key, flag.variant ?? 'off');
    if (flag.errorCode !== undefined) return failed(ErrorCode.GENERAL);
    const { reason = 'UNKNOWN', variant = '', metadata = {} } = flag;
    const details = { reason: reasonOf(reason, metadata.reason), variant };
    if (flag.value === undefined) return { value, ...details };
    return isOfType(flag.value) ? { value: flag.value, ...details } : failed(ErrorCode.TYPE_MISMATCH);
  }

  /** Rejects if the flags cannot be read. The provider then continues to retry. */
  async #change(context: EvaluationContext): Promise<void> {
    if (context.targetingKey !== this.#context.targetingKey) {
      this.#flags = undefined;
      this.#etag = undefined;
    }
    this.#context = context;
    try {
      await this.#evaluate();
      if (context === this.#context) this.#isFailed = false;
    } catch (error) {
      if (context === this.#context) {
        this.#isFailed = true;
        // An invalid context stays invalid.
        if (!(error instanceof InvalidContextError)) this.#retry();
      }
      throw error;
    }
  }

  /** Returns the keys that changed. Returns none if a later request or context replaced this one. */
  async #evaluate(changedAt?: string): Promise<string[]> {
    this.#round += 1;
    const round = this.#round;
    const context = this.#context;
    const { host, key, usage = true } = this.#options;
    const query = new URLSearchParams({
      ...(changedAt === undefined ? {} : { flagConfigEtag: changedAt }),
      ...(usage ? { usage: 'reported' } : {}),
    });
    const response = await fetch(`${host}/ofrep/v1/evaluate/flags?${query}`, {
      method: 'POST',
      credentials: 'omit',
      headers: {
        Authorization: `Bearer ${key}`,
        'Content-Type': 'application/json',
        ...(this.#etag === undefined ? {} : { 'If-None-Match': this.#etag }),
      },
      body: JSON.stringify({ context }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const answer = response.status === 304 ? undefined : await response.json();
    if (answer !== undefined && !response.ok) {
      const message = answer?.errorDetails ?? `${response.status}`;
      throw response.status === 400 ? new InvalidContextError(message) : new Error(message);
    }
    if (context !== this.#context || round < this.#answered) return [];
    this.#answered = round;
    clearTimeout(this.#timer);
    const before = this.#flags ?? new Map<string, Flag>();
    const now: ReadonlyMap<string, Flag> =
      answer === undefined ? before : new Map(answer.flags.map((flag: Flag) => [flag.key, flag]));
    this.#flags = now;
    if (answer !== undefined) {
      this.#etag = response.headers.get('ETag') ?? undefined;
      this.#streamUrl = answer.eventStreams?.[0]?.url;
    }
    this.#follow();
    return [...new Set([...before.keys(), ...now.keys()])].filter(
      (one) => JSON.stringify(before.get(one)) !== JSON.stringify(now.get(one)),
    );
  }

  #use(flag: string, variation: string): void {
    if (this.#options.usage === false) return;
    const name = `${flag}\n${variation}`;
    const entry = this.#uses.get(name) ?? { flag, variation, count: 0 };
    entry.count++;
    if (this.#uses.size < MAX_REPORTED) this.#uses.set(name, entry);
    if (this.#reporting !== undefined) return;
    this.#reporting = setTimeout(this.#report, REPORT_MS);
    globalThis.addEventListener?.('pagehide', this.#report);
  }

  /** Reports the uses since the last report. A report that fails is lost. */
  readonly #report = (): void => {
    clearTimeout(this.#reporting);
    this.#reporting = undefined;
    globalThis.removeEventListener?.('pagehide', this.#report);
    if (this.#uses.size === 0) return;
    const { host, key } = this.#options;
    // Plain text without headers, because a closing page has no time for a CORS preflight request.
    const body = JSON.stringify({ api_key: key, usage: [...this.#uses.values()] });
    this.#uses.clear();
    fetch(`${host}/v1/flags/usage`, { method: 'POST', credentials: 'omit', keepalive: true, body }).catch(
      () => undefined,
    );
  };

  /** Opens the stream of changes, if it is not open. */
  #follow(): void {
    if (this.#isClosed) return;
    if (this.#stream !== undefined) {
      if (this.#stream.readyState === EventSource.OPEN) this.#failures = 0;
      return;
    }
    if (typeof EventSource === 'undefined' || this.#streamUrl === undefined) {
      this.#failures = 0;
      this.#retry(POLL_MS);
      return;
    }
    const stream = new EventSource(this.#streamUrl);
    this.#stream = stream;
    this.#hear();
    stream.onopen = () => {
      this.#failures = 0;
      this.#hear();
    };
    stream.addEventListener('beat', () => this.#hear());
    stream.onmessage = ({ lastEventId }) => {
      this.#hear();
      void this.#refresh(lastEventId);
    };
    stream.onerror = () => {
      // Otherwise the stream reconnects automatically.
      if (stream.readyState === EventSource.CLOSED) this.#leave();
    };
  }

  /** Restarts the wait for the next event or beat of the server. */
  #hear(): void {
    clearTimeout(this.#silence);
    if (!this.#isClosed) this.#silence = setTimeout(() => this.#leave(), SILENT_MS);
  }

  /** Closes the stream. The next evaluation opens another one. */
  #leave(): void {
    clearTimeout(this.#silence);
    this.#stream?.close();
    this.#stream = undefined;
    this.#retry();
  }

  async #refresh(changedAt?: string): Promise<void> {
    const context = this.#context;
    try {
      const flagsChanged = await this.#evaluate(changedAt);
      if (context !== this.#context) return;
      if (this.#isFailed) this.events.emit(ProviderEvents.Ready);
      this.#isFailed = false;
      if (flagsChanged.length > 0) this.events.emit(ProviderEvents.ConfigurationChanged, { flagsChanged });
    } catch {
      // Keeps the last values of this context.
      if (context === this.#context) this.#retry();
    }
  }

  #retry(ms = Math.min(MAX_RETRY_MS, 500 * 2 ** this.#failures++) * (0.5 + Math.random() / 2)): void {
    clearTimeout(this.#timer);
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.#refresh(), ms);
  }
}

/**
 * Returns the reason. OFREP has only one for a flag that is off. The exact reason distinguishes those that
 * OpenFeature knows.
 */
function reasonOf(reason: string, exact: string | undefined): string {
  if (exact === 'ROLLOUT_MISS') return 'SPLIT';
  return exact === undefined || exact === 'DISABLED' ? reason : 'DEFAULT';
}
