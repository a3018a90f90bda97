import type { Resolution, Traits } from '@switchboard/flag-engine';

/**
 * The types of your flags by key. `switchboard generate types --package @switchboard/node` writes it, or extend it by
 * declaration merging:
 *
 * ```ts
 * declare module '@switchboard/node' {
 *   interface Flags { 'new-checkout': boolean; 'button-colour': 'green' | 'blue' }
 * }
 * ```
 */
// biome-ignore lint/suspicious/noEmptyInterface: declaration merging fills it.
export interface Flags {}

/** Anything that JSON can hold. Values that it cannot, such as functions, are left out. */
export type Properties = Record<string, unknown>;

/** What went wrong. Nothing is ever thrown. */
export interface SwitchboardError {
  /**
   * - `invalid`: the call or the options of the client cannot be used; nothing was queued
   * - `full`: the queue is full; nothing was queued
   * - `rejected`: the server refused this event or call; it is dropped
   * - `expired`: not accepted within seven days; it is dropped
   * - `unauthorized`: the key or the address is wrong; the queue is kept and tried again every five minutes
   * - `storage`: the queue cannot be kept in its folder; it is in memory
   * - `internal`: a defect of this library
   */
  code: 'invalid' | 'full' | 'rejected' | 'expired' | 'unauthorized' | 'storage' | 'internal';
  message: string;
  /** The event or call that is affected. */
  eventId?: string;
  /** The status of the response, if there was one. */
  status?: number;
}

export interface Options {
  /** The project key, `pk_<region>_...`. */
  key: string;
  /** Address of the API, such as `https://api.example.com`. */
  host: string;
  /** Address for events. Default: `host`. */
  eventsHost?: string;
  /**
   * Folder of the queue, which a restarted process goes on with. Processes may share it. false keeps the queue in
   * memory. Default: `.switchboard-queue` in the working directory.
   */
  folder?: string | false;
  /** Bytes of events that may wait; their files take up to three times as much. Default: 16 MiB. */
  maxBytes?: number;
  /** Milliseconds for which events are collected before they are sent. Default: 1000. */
  flushMs?: number;
  /** `schema_version` of your events. Default: 1. */
  schemaVersion?: number;
  onError?: (error: SwitchboardError) => void;
}

export interface CallOptions {
  /** When it happened: a `Date`, an ISO 8601 text or milliseconds since 1970. Default: now. */
  timestamp?: Date | string | number | null;
  /** Your own id. Events with the same id within seven days are archived once. */
  eventId?: string;
}

/** A person as clauses see them. */
export interface Person {
  distinctId: string;
  /** For clauses on traits. Only what you give is known. A value counts as its JSON: a `Date` is its ISO text. */
  traits?: Traits;
  /** Traits of their groups, by group type. */
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
   * The value of a flag, at once. The fallback is returned if the ruleset or the flag is unknown, or if the flag is off
   * without a value or has a value of another type.
   */
  get<K extends keyof Flags | (string & {}), V>(
    key: K,
    fallback: V,
    person: Person,
  ): FlagValue<K & string, V>;
  /** Value, variation and reason in the terms of OpenFeature; undefined if the ruleset or the flag is unknown. */
  resolve(key: string, person: Person): Resolution | undefined;
  /** The values of all flags: those that are off are `false`, or `null` if their type is not boolean. */
  all(person: Person): Record<string, unknown>;
  /** Whether any flag targets a cohort, so that `withCohorts` matters. */
  readonly usesCohorts: boolean;
  /** The person with their cohorts, read from the server unless known. Without them if they cannot be read. */
  withCohorts(person: Person): Promise<Person>;
  /**
   * Evaluates on the server, with the stored traits, groups and cohorts, including every `identify` and `group` of
   * this client so far. Undefined if the server does not answer.
   */
  fetch(distinctId: string): Promise<ServerEvaluation | undefined>;
  /** Calls the listener with the keys of flags whose definition changed. Returns a function that ends it. */
  onChange(listener: (keys: string[]) => void): () => void;
}

export interface Client {
  /**
   * Queues an event. Resolves to its `event_id` once it is queued: from then on it is sent, also by a later process,
   * and archived once. Resolves to undefined if it is not queued; `onError` then got `invalid` or `full`.
   */
  track(
    distinctId: string,
    name: string,
    properties?: Properties | null,
    options?: (CallOptions & { sessionId?: string }) | null,
  ): Promise<string | undefined>;
  /** Sets traits of a person; null removes one. Resolves as `track` does. */
  identify(
    distinctId: string,
    traits?: Properties | null,
    options?: CallOptions | null,
  ): Promise<string | undefined>;
  /** Puts a person into a group and sets its traits; null leaves the group of this type. Resolves as `track` does. */
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
  /** Sends what is queued now. Resolves when it is sent or has to wait. */
  flush(): Promise<void>;
  readonly flags: FlagsClient;
  /**
   * Sends what is queued for up to `timeoutMs` (default: 5,000), then ends timers, sockets and files. What is left
   * stays in the folder for the next process.
   */
  close(timeoutMs?: number): Promise<void>;
}
