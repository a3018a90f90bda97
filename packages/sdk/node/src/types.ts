import type { Resolution, Traits } from '@switchboard/flag-engine';

/**
 * The types of your flags by key. `switchboard generate types --package @switchboard/node` generates it, or
 * extend it by declaration merging:
 *
 * ```ts
 * declare module '@switchboard/node' {
 *   interface Flags { 'new-checkout': boolean; 'button-colour': 'green' | 'blue' }
 * }
 * ```
 */
// biome-ignore lint/suspicious/noEmptyInterface: declaration merging fills it.
export interface Flags {}

/** Any JSON properties. Values that JSON cannot represent, such as functions, are omitted. */
export type Properties = Record<string, unknown>;

/** A problem that was reported. The library never throws. */
export interface SwitchboardError {
  /**
   * - `invalid`: the call or the options of the client cannot be used. Nothing was queued.
   * - `full`: the queue is full. Nothing was queued.
   * - `rejected`: the server rejected this event or call. It is dropped.
   * - `expired`: not accepted within seven days. It is dropped.
   * - `unauthorized`: the key or the URL is wrong. The queue is kept and retried every five minutes.
   * - `storage`: the queue cannot be stored in its folder. It is in memory.
   * - `internal`: a defect of this library
   */
  code: 'invalid' | 'full' | 'rejected' | 'expired' | 'unauthorized' | 'storage' | 'internal';
  message: string;
  /** The affected event or call. */
  eventId?: string;
  /** The status of the response, if there was one. */
  status?: number;
}

export interface Options {
  /** The project key, `pk_<region>_...`. */
  key: string;
  /** URL of the API, such as `https://api.example.com`. */
  host: string;
  /** URL for events. Default: `host`. */
  eventsHost?: string;
  /**
   * Folder of the queue, which a restarted process continues. Processes may share it. false keeps the queue in
   * memory. Default: `.switchboard-queue` in the working directory.
   */
  folder?: string | false;
  /** The maximum number of bytes of waiting events. Their files take up to three times as much. Default: 16 MiB. */
  maxBytes?: number;
  /** Milliseconds for which events are collected before they are sent. Default: 1000. */
  flushMs?: number;
  /** `schema_version` of your events. Default: 1. */
  schemaVersion?: number;
  /**
   * Whether to report, at most once a minute, how often each flag served which variation. Reports have no person.
   * Default: true.
   */
  usage?: boolean;
  onError?: (error: SwitchboardError) => void;
}

export interface CallOptions {
  /** The time of the event: a `Date`, an ISO 8601 text or milliseconds since 1970. Default: now. */
  timestamp?: Date | string | number | null;
  /** Your own id. Events with the same id within seven days are archived once. */
  eventId?: string;
}

/** A person as clauses see it. */
export interface Person {
  distinctId: string;
  /**
   * Traits for clauses. Only those that you pass are known. A value is converted to JSON: a `Date` becomes its ISO
   * text.
   */
  traits?: Traits;
  /** Traits of the person's groups, by group type. */
  groups?: Readonly<Record<string, Traits>>;
  /** For clauses on cohorts: from `flags.withCohorts`. */
  cohorts?: ReadonlySet<string>;
}

/** Flags as the server evaluated them. */
export interface ServerEvaluation {
  flags: Record<string, unknown>;
  /** The key of the variation served, by flag key. */
  variants: Record<string, string>;
}

type Widened<V> = V extends boolean ? boolean : V extends number ? number : V extends string ? string : V;

/** The type of a flag: that of `Flags`, or else that of the fallback. */
export type FlagValue<K extends string, V> = K extends keyof Flags ? Flags[K] : Widened<V>;

/** Feature flags, evaluated in this process. The first use reads the ruleset and opens a WebSocket for changes. */
export interface FlagsClient {
  /** Resolves to whether the ruleset is known, as soon as it is, or after the time limit. Default: 5,000 ms. */
  ready(timeoutMs?: number): Promise<boolean>;
  /**
   * Returns the value of a flag immediately. Returns the fallback if the ruleset or the flag is unknown, or if the
   * flag is off without a value or has a value of another type.
   */
  get<K extends keyof Flags | (string & {}), V>(
    key: K,
    fallback: V,
    person: Person,
  ): FlagValue<K & string, V>;
  /**
   * Returns value, variation and reason in the terms of OpenFeature. Undefined if the ruleset or the flag is
   * unknown.
   */
  resolve(key: string, person: Person): Resolution | undefined;
  /** Returns the values of all flags. Those that are off are `false`, or `null` if their type is not boolean. */
  all(person: Person): Record<string, unknown>;
  /** Whether any flag targets a cohort, so that `withCohorts` has an effect. */
  readonly usesCohorts: boolean;
  /**
   * Returns the person with their cohorts, read from the server unless known. Without cohorts if they cannot be
   * read.
   */
  withCohorts(person: Person): Promise<Person>;
  /**
   * Evaluates on the server, with the stored traits, groups and cohorts, including every previous `identify` and
   * `group` call of this client. Returns undefined if the server does not respond. The server counts a use of each
   * flag, unless `usage` is `reported`: set it for the values of a page, which reports its uses itself.
   */
  fetch(distinctId: string, options?: { usage?: 'reported' }): Promise<ServerEvaluation | undefined>;
  /** Calls the listener with the keys of flags that have a new definition. Returns a function that removes it. */
  onChange(listener: (keys: string[]) => void): () => void;
}

export interface Client {
  /**
   * Queues an event. Resolves to its `event_id` once it is queued. It is then sent, if necessary by a later
   * process, and archived once. Resolves to undefined if it is not queued, and `onError` received `invalid` or
   * `full`.
   */
  track(
    distinctId: string,
    name: string,
    properties?: Properties | null,
    options?: (CallOptions & { sessionId?: string }) | null,
  ): Promise<string | undefined>;
  /**
   * Sets traits of a person. null removes a trait. `anonymousId` joins the id that the visitor had before they signed
   * in to the person. Resolves as `track` does.
   */
  identify(
    distinctId: string,
    traits?: Properties | null,
    options?:
      | (CallOptions & {
          /** 1 to 200 characters. */
          anonymousId?: string;
        })
      | null,
  ): Promise<string | undefined>;
  /**
   * Adds a person to a group and sets the group's traits. null removes the person from the group of this type.
   * Resolves as `track` does.
   */
  group(
    distinctId: string,
    groupId: string | null,
    traits?: Properties | null,
    options?:
      | (CallOptions & {
          /** Default: `company`. */
          type?: string;
        })
      | null,
  ): Promise<string | undefined>;
  /** Sends the queued items now. Resolves when they are sent or have to wait. */
  flush(): Promise<void>;
  readonly flags: FlagsClient;
  /**
   * Sends the queued items for up to `timeoutMs` (default: 5,000), then closes timers, sockets and files. The
   * remaining items stay in the folder for the next process.
   */
  close(timeoutMs?: number): Promise<void>;
}
