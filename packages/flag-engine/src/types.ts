/** What a flag's variations hold. A flag without a type is read as `boolean` when it is off. */
export type FlagType = 'boolean' | 'string' | 'number' | 'json';

/** Why a flag exists. It is told to people and plays no part in evaluation. */
export type FlagIntent = 'release' | 'experiment' | 'operational' | 'kill_switch' | 'permission' | 'sunset';

export type ClauseOperator =
  | 'eq'
  | 'neq'
  | 'in'
  | 'not_in'
  | 'contains'
  | 'gt'
  | 'gte'
  | 'lt'
  | 'lte'
  | 'is_set'
  | 'is_not_set'
  | 'in_cohort'
  | 'not_in_cohort';

/**
 * One condition on a person. `attribute` is `distinct_id`, `group.<type>.<trait>` (the type ends at the
 * next dot, the trait is the rest) or else the name of a trait; `in_cohort` and `not_in_cohort` ignore it.
 */
export interface Clause {
  readonly attribute: string;
  readonly op: ClauseOperator;
  readonly value?: unknown;
}

export interface Variation {
  readonly key: string;
  readonly value: unknown;
  /** A share of the sum of the flag's weights: a whole number from 0. */
  readonly weight: number;
}

/** Another flag and what it must serve: `off`, `on`, or the key of one of its variations. */
export interface Prerequisite {
  readonly flagKey: string;
  readonly variationKey: string;
}

/** A flag as the snapshot carries it. */
export interface Flag {
  readonly key: string;
  readonly enabled: boolean;
  /** A whole number from 0 to 100. */
  readonly rolloutPercentage: number;
  readonly description?: string | null | undefined;
  readonly type?: FlagType | undefined;
  readonly intent?: FlagIntent | undefined;
  readonly targeting?: readonly Clause[] | undefined;
  readonly variations?: readonly Variation[] | undefined;
  readonly prerequisites?: readonly Prerequisite[] | undefined;
}

/** A named set of people: those listed, and those who fulfil every clause of a `match` that has any. */
export interface Cohort {
  readonly id: string;
  readonly match?: readonly Clause[] | undefined;
  readonly distinctIds?: readonly string[] | undefined;
}

/** JSON properties by name. Only own properties are read, so `constructor` is just a name. */
export type Traits = Readonly<Record<string, unknown>>;

/**
 * A person as clauses see them. Traits and groups stay the objects they are stored as: nothing is merged or
 * copied for an evaluation.
 */
export interface Person {
  /** Empty for nobody in particular. */
  readonly distinctId: string;
  readonly traits: Traits;
  /** The traits of the group the person is in, by group type. */
  readonly groups?: Readonly<Record<string, Traits>> | undefined;
  /** The state on file could not be read: no clause is fulfilled, a negative one neither. */
  readonly stateUnavailable?: boolean | undefined;
}

/** A person and the cohorts they belong to (see `memberships`). */
export interface User extends Person {
  readonly cohorts: ReadonlySet<string>;
}

export type Reason =
  | 'DISABLED'
  | 'PREREQUISITE_FAILED'
  | 'TARGETING_MISS'
  | 'ROLLOUT_MISS'
  | 'MATCH'
  | 'ERROR';

/**
 * What one flag answers one person. A compiled ruleset holds one object for each outcome a flag can have and
 * answers with that same object every time, so a decision can key a cache (say, of its JSON) by identity.
 */
export interface Decision {
  readonly key: string;
  /** The value to use. Off: `false` for type boolean or none, else `null`. */
  readonly value: unknown;
  /** The variation's key; `null` when none was served. */
  readonly variant: string | null;
  /** What prerequisites compare with: `off`, `on` or the variation's key. */
  readonly served: string;
  readonly reason: Reason;
}
