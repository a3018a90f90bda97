/** The load that Switchboard is built for: see docs/sizing.md. */
export const MODEL = {
  projects: 10_000,
  flagsPerProject: 100,
  people: 10_000_000,
  archivedEvents: 100_000_000,
  archivedDays: 90,
  conversations: 1_000_000,
  turnsPerConversation: 5,
  partitions: 64,
};

const MONTH_SECONDS = 30 * 86_400;
/** Peak of average. */
const PEAK = 3;

/** A second, on average. The same at every share: shares are of what is stored. */
export const AVERAGE = {
  events: 1e9 / MONTH_SECONDS,
  evaluations: 1e8 / MONTH_SECONDS,
  turns: (MODEL.conversations * MODEL.turnsPerConversation) / MONTH_SECONDS,
  /** To analytics; assumed, as the model has none. */
  questions: 0.2,
};
export type Load = keyof typeof AVERAGE;

export const LOADS = Object.keys(AVERAGE) as Load[];

export const rateOf = (load: Load, isPeak: boolean): number => AVERAGE[load] * (isPeak ? PEAK : 1);

/** What is stored at a share of the model. */
export interface Size {
  share: number;
  projects: number;
  people: number;
  archivedEvents: number;
  conversations: number;
}

export function sizeOf(share: number): Size {
  const of = (whole: number) => Math.max(1, Math.round(whole * share));
  return {
    share,
    projects: of(MODEL.projects),
    people: of(MODEL.people),
    archivedEvents: of(MODEL.archivedEvents),
    conversations: of(MODEL.conversations),
  };
}

/** Which project has how much: few have most (Zipf, s = 1), or all have the same. */
export type Spread = 'zipf' | 'uniform';

const GOLDEN = 0.618033988749895;

/** The project of a person, from 0. Those with even numbers are spread by Zipf, the others uniformly. */
export function projectOf(person: number, projects: number): number {
  if (person % 2 === 1) return ((person - 1) / 2) % projects;
  const point = (person / 2) * GOLDEN;
  return Math.min(projects - 1, Math.floor(projects ** (point - Math.floor(point))) - 1);
}

/** The same in the SQL of PostgreSQL and DuckDB. */
export function projectInSql(person: string, projects: number): string {
  const half = `(${person} >> 1)`;
  const point = `(${half} * ${GOLDEN}::float8)`;
  return `(case when ${person} % 2 = 1 then ${half} % ${projects} else
    least(${projects} - 1, floor(power(${projects}::float8, ${point} - floor(${point})))::bigint - 1) end)`;
}

/** A random person whose project is spread so. */
export function randomPerson(people: number, spread: Spread): number {
  const half = Math.floor(Math.random() * Math.floor(people / 2));
  return spread === 'zipf' ? 2 * half : 2 * half + 1;
}

export const projectId = (project: number) => `project-${project}`;
export const personId = (person: number) => `user-${person}`;
