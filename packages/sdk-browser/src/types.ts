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

/** Anything that JSON can hold. Values that it cannot, such as functions, are left out. */
export type Properties = Record<string, unknown>;

/**
 * - `granted`: events are stored and sent.
 * - `pending`: nothing is stored or sent. The latest 100 calls wait in memory for the decision.
 * - `denied`: nothing is stored or sent, and what was stored is deleted. Only this choice is kept.
 */
export type Consent = 'granted' | 'pending' | 'denied';

/** What went wrong. Nothing is ever thrown into the page. */
export interface SwitchboardError {
  /**
   * - `denied`: the browser sends Do Not Track or Global Privacy Control, so that consent is `denied` until the
   *   visitor grants it; reported once, by `init`
   * - `invalid`: the call cannot be sent as it is; nothing was queued, and the person stays as before
   * - `full`: the queue is full; nothing was queued
   * - `rejected`: the server refused this event or call; it is dropped
   * - `expired`: not accepted within seven days; it is dropped
   * - `unauthorized`: the key or the address is not good; the queue is kept and sending stops until the next page
   * - `internal`: a defect of this library or of the browser
   */
  code: 'denied' | 'invalid' | 'full' | 'rejected' | 'expired' | 'unauthorized' | 'internal';
  message: string;
  /** The event or call that is affected. */
  eventId?: string;
  /** The status of the response, if there was one. */
  status?: number;
}

export interface Options {
  /** The public project key, `pk_<region>_...`. */
  key: string;
  /** Address of the API, such as `https://api.example.com`. */
  host: string;
  /** Address for events. Default: `host`. */
  eventsHost?: string;
  /** Address for session replay. Default: `host`. */
  replayHost?: string;
  /** Consent until the visitor decides. Default: `granted`. */
  consent?: Consent;
  /**
   * By default a visitor who sends Do Not Track or Global Privacy Control counts as `denied` until they grant
   * consent. true ignores both signals.
   */
  ignoreDoNotTrack?: boolean;
  /** Where the ids and the queue are kept. Default: `browser` (localStorage, IndexedDB; never cookies). */
  storage?: 'browser' | 'memory';
  /** Track `page viewed` now and whenever the path changes. Default: false. */
  pageViews?: boolean;
  /** Track `element clicked` for links and buttons. Default: false. */
  clicks?: boolean;
  /** Minutes without activity after which a session ends. Default: 30. */
  sessionMinutes?: number;
  /** `schema_version` of your events. Default: 1. */
  schemaVersion?: number;
  /**
   * Values until the first ones arrive, as your server evaluated them (`GET /v1/flags`). Without them, those kept from
   * the last visit are used.
   */
  bootstrap?: { flags: Record<string, unknown>; variants?: Record<string, string> };
  /** Milliseconds for which events are collected before they are sent. Default: 1000. */
  flushMs?: number;
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
   * The value of a flag as last known, at once. The fallback is returned if the flag is unknown, is off without a
   * value, or has a value of another type.
   */
  get<K extends keyof Flags | (string & {}), V>(key: K, fallback: V): FlagValue<K & string, V>;
  /** All values as last known. The same object until one changes. */
  all(): Readonly<Record<string, unknown>>;
  /** The key of the variation served, if any. */
  variant(key: string): string | undefined;
  /** Resolves once the values include every `identify` and `group` so far, or after five seconds. */
  ready(): Promise<void>;
  /** Calls the listener after values changed. Returns a function that ends it. */
  onChange(listener: () => void): () => void;
}

/** In-app messages of the current person. */
export interface InboxClient {
  /** The messages as last known, newest first. The same array until one changes. */
  messages(): readonly InboxMessage[];
  /** Reads the messages again. */
  refresh(): Promise<void>;
  /** Marks a message as read. Resolves to whether the server did. */
  markRead(id: string): Promise<boolean>;
  /**
   * Calls the listener after messages changed. While there is one, they are read again every minute, and at once when
   * the messenger is on the page and one is sent.
   */
  onChange(listener: () => void): () => void;
}

export interface Client {
  /**
   * Queues an event. Resolves to its `event_id` once it is queued: from then on it is sent, also by a later page or
   * another tab, and archived once. Resolves to undefined if it is not queued: without consent, or if `onError` got
   * `invalid` or `full`. Without a choice of the visitor, there is no consent if the browser sends Do Not Track or
   * Global Privacy Control: `onError` then got `denied`.
   */
  track(name: string, properties?: Properties | null): Promise<string | undefined>;
  /** Tracks `page viewed` with the address without its query (but `utm_*`), the title and the referrer. */
  page(properties?: Properties | null): Promise<string | undefined>;
  /**
   * Says who the visitor is, and sets traits; null removes one. Later events carry this id. Resolves as `track` does.
   * For flags that include the traits, await `flags.ready()`.
   */
  identify(distinctId: string, traits?: Properties | null): Promise<string | undefined>;
  /**
   * Puts the person into a group and sets its traits. null leaves the group of this type.
   * @param type Default: `company`.
   */
  group(groupId: string | null, traits?: Properties | null, type?: string): Promise<string | undefined>;
  /** Forgets the person, for example on sign-out: a new anonymous id and a new session. */
  reset(): void;
  /** Sends what is queued now. Resolves when it is sent or has to wait. */
  flush(): Promise<void>;
  /** The id of the person: that of `identify`, or a random one. Empty without consent. */
  readonly distinctId: string;
  /** Whether `identify` gave that id. */
  readonly isIdentified: boolean;
  /** The session of this tab; reading it counts as activity. Empty without consent. */
  readonly sessionId: string;
  readonly consent: Consent;
  /** Records the visitor's choice, and keeps it. */
  setConsent(consent: Consent): void;
  /** Calls the listener after the consent, the person or the session changed. */
  onChange(listener: () => void): () => void;
  readonly flags: FlagsClient;
  readonly inbox: InboxClient;
  /** For add-ons; may change with any version. Requests with the project key. */
  readonly transport: Transport;
  /**
   * For add-ons; may change with any version. Calls the listener when the page may go away, before events take their
   * share of what the browser still sends.
   */
  onLeave(listener: () => void): () => void;
  /** The options with their defaults, for add-ons such as `@switchboard/replay`. */
  readonly options: Readonly<
    Required<Pick<Options, 'key' | 'host' | 'eventsHost' | 'replayHost' | 'storage'>>
  >;
  /** Ends all listeners, timers and sockets. The queue stays for the next page. */
  close(): void;
}
