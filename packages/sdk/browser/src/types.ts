import type { Transport } from './transport.ts';

/**
 * The types of your flags by key. Extend it by declaration merging, for example in `flags.d.ts`:
 *
 * ```ts
 * declare module '@switchboard/browser' {
 *   interface Flags { 'new-checkout': boolean; 'button-colour': 'green' | 'blue' }
 * }
 * ```
 */
// biome-ignore lint/suspicious/noEmptyInterface: declaration merging fills it.
export interface Flags {}

/** Any JSON properties. Values that JSON cannot represent, such as functions, are omitted. */
export type Properties = Record<string, unknown>;

/**
 * - `granted`: events are stored and sent.
 * - `pending`: nothing is stored or sent. The latest 100 calls wait in memory for the decision.
 * - `denied`: nothing is stored or sent, and stored data is deleted. Only this choice is stored.
 */
export type Consent = 'granted' | 'pending' | 'denied';

/** A problem that was reported. The library never throws into the page. */
export interface SwitchboardError {
  /**
   * - `denied`: the browser sends Do Not Track or Global Privacy Control, so that consent is `denied` until the
   *   visitor grants it. `init` reports this once.
   * - `invalid`: the call cannot be sent as it is. Nothing was queued, and the person is unchanged.
   * - `full`: the queue is full. Nothing was queued.
   * - `rejected`: the server rejected this event or call. It is dropped.
   * - `expired`: not accepted within seven days. It is dropped.
   * - `unauthorized`: the key or the URL is invalid. The queue is kept, and sending stops until the next page.
   * - `internal`: a defect of this library or of the browser
   */
  code: 'denied' | 'invalid' | 'full' | 'rejected' | 'expired' | 'unauthorized' | 'internal';
  message: string;
  /** The affected event or call. */
  eventId?: string;
  /** The status of the response, if there was one. */
  status?: number;
}

export interface Options {
  /** The public project key, `pk_<region>_...`. */
  key: string;
  /** URL of the API, such as `https://api.example.com`. */
  host: string;
  /** URL for events. Default: `host`. */
  eventsHost?: string;
  /** URL for session replay. Default: `host`. */
  replayHost?: string;
  /** Consent until the visitor decides. Default: `granted`. */
  consent?: Consent;
  /**
   * By default, a visitor who sends Do Not Track or Global Privacy Control counts as `denied` until they grant
   * consent. If true, both signals are ignored.
   */
  ignoreDoNotTrack?: boolean;
  /** Where the ids and the queue are stored. Default: `browser` (localStorage, IndexedDB; never cookies). */
  storage?: 'browser' | 'memory';
  /** Whether to track `page viewed` now and when the path changes. Default: false. */
  pageViews?: boolean;
  /** Whether to track `element clicked` for links and buttons. Default: false. */
  clicks?: boolean;
  /** Minutes without activity after which a session ends. Default: 30. */
  sessionMinutes?: number;
  /** `schema_version` of your events. Default: 1. */
  schemaVersion?: number;
  /**
   * The values until the first ones are received, as evaluated by your server (`GET /v1/flags`). Without them, the
   * stored values of the last visit are used.
   */
  bootstrap?: { flags: Record<string, unknown>; variants?: Record<string, string> };
  /** Milliseconds for which events are collected before they are sent. Default: 1000. */
  flushMs?: number;
  /**
   * Whether to report, at most once a minute, how often the page used each flag. Reports have no person. Default: true.
   */
  usage?: boolean;
  onError?: (error: SwitchboardError) => void;
}

/** An in-app message. Its texts are plain text. */
export interface InboxMessage {
  id: string;
  title: string;
  body: string;
  read: boolean;
  createdAt: string;
}

type Widened<V> = V extends boolean ? boolean : V extends number ? number : V extends string ? string : V;

/** The type of a flag: that of `Flags`, or else that of the fallback. */
export type FlagValue<K extends string, V> = K extends keyof Flags ? Flags[K] : Widened<V>;

/** Feature flags of the current person. The first use reads them and opens a WebSocket for changes. */
export interface FlagsClient {
  /**
   * Returns the last known value of a flag immediately. Returns the fallback if the flag is unknown, is off
   * without a value, or has a value of another type.
   */
  get<K extends keyof Flags | (string & {}), V>(key: K, fallback: V): FlagValue<K & string, V>;
  /**
   * Returns all last known values. Returns the same object until one changes. Counts as a use of every flag unless
   * `isUse` is false.
   */
  all(isUse?: boolean): Readonly<Record<string, unknown>>;
  /** For add-ons. May change with any version. Counts a use of a flag. */
  used(key: string): void;
  /** Returns the key of the variation served, if any. */
  variant(key: string): string | undefined;
  /** Resolves when the values include every previous `identify` and `group` call, or after five seconds. */
  ready(): Promise<void>;
  /** Calls the listener after values change. Returns a function that removes it. */
  onChange(listener: () => void): () => void;
}

/** In-app messages of the current person. */
export interface InboxClient {
  /** Returns the last known messages, newest first. Returns the same array until one changes. */
  messages(): readonly InboxMessage[];
  /** Reads the messages again. */
  refresh(): Promise<void>;
  /** Marks a message as read. Resolves to whether the server accepted it. */
  markRead(id: string): Promise<boolean>;
  /**
   * Calls the listener after messages change. While there is a listener, the messages are read again every minute,
   * and immediately when one is sent if the messenger is on the page.
   */
  onChange(listener: () => void): () => void;
}

export interface Client {
  /**
   * Queues an event. Resolves to its `event_id` once it is queued. It is then sent, if necessary by a later page
   * or another tab, and archived once. Resolves to undefined if it is not queued: without consent, or if `onError`
   * received `invalid` or `full`. Until the visitor decides, there is no consent if the browser sends Do Not Track
   * or Global Privacy Control, and `onError` received `denied`.
   */
  track(name: string, properties?: Properties | null): Promise<string | undefined>;
  /**
   * Tracks `page viewed` with the URL without its query (except `utm_*`), the title, the host of the referrer, the
   * browser, the class of the device, the size of the screen and the time zone.
   */
  page(properties?: Properties | null): Promise<string | undefined>;
  /**
   * Identifies the visitor and sets traits. null removes a trait. Later events carry this id. The first call after an
   * anonymous id joins that id to the person. Resolves as `track` does. For flags that include the traits, await
   * `flags.ready()`.
   */
  identify(distinctId: string, traits?: Properties | null): Promise<string | undefined>;
  /**
   * Adds the person to a group and sets the group's traits. null removes the person from the group of this type.
   * @param type Default: `company`.
   */
  group(groupId: string | null, traits?: Properties | null, type?: string): Promise<string | undefined>;
  /** Resets to a new anonymous id and a new session, for example on sign-out. */
  reset(): void;
  /** Sends the queued items now. Resolves when they are sent or have to wait. */
  flush(): Promise<void>;
  /** The distinct id: that of `identify`, or a random one. Empty without consent. */
  readonly distinctId: string;
  /** Whether the distinct id comes from `identify`. */
  readonly isIdentified: boolean;
  /** The session of this tab. Reading it counts as activity. Empty without consent. */
  readonly sessionId: string;
  readonly consent: Consent;
  /** Records and stores the visitor's choice. */
  setConsent(consent: Consent): void;
  /** Calls the listener after the consent, the person or the session changes. */
  onChange(listener: () => void): () => void;
  readonly flags: FlagsClient;
  readonly inbox: InboxClient;
  /** For add-ons. May change with any version. Sends requests with the project key. */
  readonly transport: Transport;
  /**
   * For add-ons. May change with any version. Calls the listener when the page may close, before events use their
   * share of what the browser still sends.
   */
  onLeave(listener: () => void): () => void;
  /** For add-ons. May change with any version. Calls the listener with the name of each event that is queued. */
  onTrack(listener: (name: string) => void): () => void;
  /** The options with their defaults, for add-ons such as `@switchboard/replay`. */
  readonly options: Readonly<
    Required<Pick<Options, 'key' | 'host' | 'eventsHost' | 'replayHost' | 'storage'>>
  >;
  /** Stops all listeners, timers and sockets. The queue stays for the next page. */
  close(): void;
}
