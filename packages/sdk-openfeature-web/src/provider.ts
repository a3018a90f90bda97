import {
  ErrorCode,
  type EvaluationContext,
  type JsonValue,
  OpenFeatureEventEmitter,
  type Provider,
  ProviderEvents,
  type ResolutionDetails,
  type TrackingEventDetails,
} from '@openfeature/web-sdk';

/** What sends events, such as a client of `@switchboard/browser`. */
export interface Tracker {
  track(name: string, properties?: Record<string, unknown>): unknown;
}

export interface Options {
  /** The public project key, `pk_<region>_...`. */
  key: string;
  /** Address of the API, such as `https://api.example.com`. */
  host: string;
  /** Without it, `track` does nothing. */
  tracker?: Tracker;
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
/** Without a stream of changes. */
const POLL_MS = 30_000;
const MAX_RETRY_MS = 60_000;

/**
 * Switchboard's flags for `@openfeature/web-sdk`: evaluated by the server, with the attributes of the context laid over
 * the stored traits of `targetingKey`, and again when a flag or the context changes. A flag that is off leaves the
 * default to your code.
 *
 * Emits PROVIDER_CONFIGURATION_CHANGED with the keys of flags that have another value, variant or reason.
 */
export class SwitchboardProvider implements Provider {
  readonly metadata = { name: 'switchboard' };
  readonly runsOn = 'client';
  readonly events = new OpenFeatureEventEmitter();
  readonly #options: Options;
  #flags = new Map<string, Flag>();
  #context: EvaluationContext = {};
  #etag: string | undefined;
  #stream: EventSource | undefined;
  #streamUrl: string | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;
  /** Of the request whose answer counts. */
  #round = 0;
  #isClosed = false;

  constructor(options: Options) {
    this.#options = { ...options, host: options.host.replace(/\/+$/, '') };
  }

  async initialize(context: EvaluationContext = {}): Promise<void> {
    this.#context = context;
    await this.#evaluate();
  }

  async onContextChange(_: EvaluationContext, context: EvaluationContext): Promise<void> {
    this.#context = context;
    await this.#evaluate();
  }

  async onClose(): Promise<void> {
    this.#isClosed = true;
    this.#stream?.close();
    clearTimeout(this.#timer);
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
    const flag = this.#flags.get(key);
    if (flag === undefined) return failed(ErrorCode.FLAG_NOT_FOUND);
    if (flag.errorCode !== undefined) return failed(ErrorCode.GENERAL);
    const { reason = 'UNKNOWN', variant = '', metadata = {} } = flag;
    const details = { reason: reasonOf(reason, metadata.reason), variant };
    if (flag.value === undefined) return { value, ...details };
    return isOfType(flag.value) ? { value: flag.value, ...details } : failed(ErrorCode.TYPE_MISMATCH);
  }

  /** Returns the keys that changed; undefined if a later request has answered. */
  async #evaluate(changedAt?: string): Promise<string[] | undefined> {
    this.#round += 1;
    const round = this.#round;
    const { host, key } = this.#options;
    const since = changedAt === undefined ? '' : `?flagConfigEtag=${encodeURIComponent(changedAt)}`;
    const response = await fetch(`${host}/ofrep/v1/evaluate/flags${since}`, {
      method: 'POST',
      credentials: 'omit',
      headers: {
        Authorization: `Bearer ${key}`,
        'Content-Type': 'application/json',
        ...(this.#etag === undefined ? {} : { 'If-None-Match': this.#etag }),
      },
      body: JSON.stringify({ context: this.#context }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (response.status === 304) {
      this.#follow();
      return [];
    }
    const answer = await response.json();
    if (!response.ok) throw new Error(answer?.errorDetails ?? `${response.status}`);
    if (round !== this.#round) return undefined;
    const before = this.#flags;
    this.#flags = new Map(answer.flags.map((flag: Flag) => [flag.key, flag]));
    this.#etag = response.headers.get('ETag') ?? undefined;
    this.#streamUrl = answer.eventStreams?.[0]?.url;
    this.#follow();
    return [...new Set([...before.keys(), ...this.#flags.keys()])].filter(
      (one) => JSON.stringify(before.get(one)) !== JSON.stringify(this.#flags.get(one)),
    );
  }

  /** Opens the stream of changes, unless it is open. */
  #follow(): void {
    if (this.#isClosed || this.#stream !== undefined) return;
    if (typeof EventSource === 'undefined' || this.#streamUrl === undefined) {
      this.#retry(POLL_MS);
      return;
    }
    const stream = new EventSource(this.#streamUrl);
    this.#stream = stream;
    stream.onopen = () => {
      this.#failures = 0;
    };
    stream.onmessage = ({ lastEventId }) => void this.#refresh(lastEventId);
    stream.onerror = () => {
      // Otherwise it reconnects by itself.
      if (stream.readyState !== EventSource.CLOSED) return;
      this.#stream = undefined;
      this.#retry();
    };
  }

  async #refresh(changedAt?: string): Promise<void> {
    try {
      const flagsChanged = (await this.#evaluate(changedAt)) ?? [];
      if (flagsChanged.length > 0) this.events.emit(ProviderEvents.ConfigurationChanged, { flagsChanged });
    } catch {
      // The last values stay.
      this.#retry();
    }
  }

  #retry(ms = Math.min(MAX_RETRY_MS, 500 * 2 ** this.#failures++) * (0.5 + Math.random() / 2)): void {
    clearTimeout(this.#timer);
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.#refresh(), ms);
  }
}

/** OFREP has one reason for a flag that is off; the exact one tells those apart that OpenFeature knows. */
function reasonOf(reason: string, exact: string | undefined): string {
  if (exact === 'ROLLOUT_MISS') return 'SPLIT';
  return exact === undefined || exact === 'DISABLED' ? reason : 'DEFAULT';
}
