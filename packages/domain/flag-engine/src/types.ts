/** The type of a flag's values. A flag without a type has the off value of `boolean`. */
export type FlagType = 'boolean' | 'string' | 'number' | 'json';

/** The purpose of a flag. It is for people, and evaluation ignores it. */
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
 * A condition on a person. `attribute` is `distinct_id`, `group.<type>.<trait>` (the type ends at the next dot) or
 * the name of a trait. `in_cohort` and `not_in_cohort` ignore it.
 */
export interface Clause {
  readonly attribute: string;
  readonly op: ClauseOperator;
  readonly value?: unknown;
}

export interface Variation {
  readonly key: string;
  readonly value: unknown;
  /** Share of the sum of the flag's weights: an integer from 0. */
  readonly weight: number;
}

/** Another flag and the value that it must serve: `off`, `on`, or the key of one of its variations. */
export interface Prerequisite {
  readonly flagKey: string;
  readonly variationKey: string;
}

/** People whom a flag is on for ahead of its own targeting: those who match every clause and are in the rollout. */
export interface Rule {
  readonly name?: string | undefined;
  readonly targeting: readonly Clause[];
  /** An integer from 0 to 100. Absent means 100. */
  readonly rolloutPercentage?: number | undefined;
  /** The key of the variation to serve. Absent means one by weight. */
  readonly variation?: string | undefined;
}

/** A flag as in the snapshot. */
export interface Flag {
  readonly key: string;
  readonly enabled: boolean;
  /** An integer from 0 to 100. */
  readonly rolloutPercentage: number;
  readonly description?: string | null | undefined;
  readonly type?: FlagType | undefined;
  readonly intent?: FlagIntent | undefined;
  /** The first rule that includes the person decides. Without one, `targeting` and `rolloutPercentage` do. */
  readonly rules?: readonly Rule[] | undefined;
  readonly targeting?: readonly Clause[] | undefined;
  readonly variations?: readonly Variation[] | undefined;
  readonly prerequisites?: readonly Prerequisite[] | undefined;
}

/**
 * A set of people: those it lists, and those who match every clause of a non-empty `match` and, with `did`, did
 * something.
 */
export interface Cohort {
  readonly id: string;
  readonly match?: readonly Clause[] | undefined;
  readonly distinctIds?: readonly string[] | undefined;
  /** Whether people have to match and be in the computed list of the cohort (`all`), or either (`any`). */
  readonly did?: 'all' | 'any' | undefined;
}

/** JSON properties by name. Only own properties are read, so `constructor` is an ordinary name. */
export type Traits = Readonly<Record<string, unknown>>;

/** A person as clauses see it. Traits and groups are read in place: evaluation merges and copies nothing. */
export interface Person {
  /** Empty for an unknown person. */
  readonly distinctId: string;
  readonly traits: Traits;
  /** The traits of the person's groups, by group type. */
  readonly groups?: Readonly<Record<string, Traits>> | undefined;
  /** The stored state could not be read, so no clause matches, not even a negative one. */
  readonly stateUnavailable?: boolean | undefined;
}

/** A person with the cohorts they belong to (see `memberships`). */
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
 * The result of a flag for a person. A compiled ruleset has one object per possible outcome of a flag and always
 * returns that object, so a cache can use a decision as its key.
 */
export interface Decision {
  readonly key: string;
  /** The value to use. When off: `false` for type boolean or none, otherwise `null`. */
  readonly value: unknown;
  /** The key of the variation, or `null` if none was served. */
  readonly variant: string | null;
  /** Compared with prerequisites: `off`, `on` or the key of the variation. */
  readonly served: string;
  readonly reason: Reason;
}
