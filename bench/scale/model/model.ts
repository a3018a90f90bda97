/** The load that Switchboard is designed for. See docs/reliability-and-benchmarks.md#the-model. */
export const MODEL = {
  projects: 10_000,
  flagsPerProject: 100,
  people: 10_000_000,
  /** The people with more than one distinct id, and these further ids. */
  joinedPeople: 3_000_000,
  joinedIds: 4_000_000,
  archivedEvents: 100_000_000,
  archivedDays: 90,
  conversations: 1_000_000,
  turnsPerConversation: 5,
  partitions: 64,
};

const MONTH_SECONDS = 30 * 86_400;
/** The ratio of peak to average load. */
const PEAK = 3;

/** Average rates per second. They are the same at every share: shares apply to stored data only. */
export const AVERAGE = {
  events: 1e9 / MONTH_SECONDS,
  evaluations: 1e8 / MONTH_SECONDS,
  turns: (MODEL.conversations * MODEL.turnsPerConversation) / MONTH_SECONDS,
  /** Queries to analytics. An assumption, because the model has none. */
  questions: 0.2,
};
export type Load = keyof typeof AVERAGE;

export const LOADS = Object.keys(AVERAGE) as Load[];

export const rateOf = (load: Load, isPeak: boolean): number => AVERAGE[load] * (isPeak ? PEAK : 1);

/** The amount of stored data at a share of the model. */
export interface Size {
  share: number;
  projects: number;
  people: number;
  joinedPeople: number;
  joinedIds: number;
  archivedEvents: number;
  conversations: number;
}

export function sizeOf(share: number): Size {
  const of = (whole: number) => Math.max(1, Math.round(whole * share));
  return {
    share,
    projects: of(MODEL.projects),
    people: of(MODEL.people),
    joinedPeople: of(MODEL.joinedPeople),
    joinedIds: of(MODEL.joinedIds),
    archivedEvents: of(MODEL.archivedEvents),
    conversations: of(MODEL.conversations),
  };
}

/** The distribution of data over projects: a few have most of it (Zipf, s = 1), or all have the same. */
export type Spread = 'zipf' | 'uniform';

const GOLDEN = 0.618033988749895;

/** Returns the project of a person, from 0. Even numbers have a Zipf distribution, odd ones a uniform one. */
export function projectOf(person: number, projects: number): number {
  if (person % 2 === 1) return ((person - 1) / 2) % projects;
  const point = (person / 2) * GOLDEN;
  return Math.min(projects - 1, Math.floor(projects ** (point - Math.floor(point))) - 1);
}

/** Returns the same as an SQL expression for PostgreSQL and DuckDB. */
export function projectInSql(person: string, projects: number): string {
  const half = `(${person} >> 1)`;
  const point = `(${half} * ${GOLDEN}::float8)`;
  return `(case when ${person} % 2 = 1 then ${half} % ${projects} else
    least(${projects} - 1, floor(power(${projects}::float8, ${point} - floor(${point})))::bigint - 1) end)`;
}

/** Returns a random person from the people with this distribution. */
export function randomPerson(people: number, spread: Spread): number {
  const half = Math.floor(Math.random() * Math.floor(people / 2));
  return spread === 'zipf' ? 2 * half : 2 * half + 1;
}

export const projectId = (project: number) => `project-${project}`;
export const personId = (person: number) => `user-${person}`;
/** The id that a person had before the first identify call, if they are among the joined people. */
export const anonymousId = (person: number) => `anonymous-${person}`;
