import { type SQL, sql } from 'drizzle-orm';

/** The configuration that keeps words as they are. */
export const SIMPLE = 'simple';

/** A configuration of PostgreSQL and the text that it divides into words. */
interface Words {
  projectId: string;
  configuration: string;
  text: string;
}

const WEEK_MS = 7 * 86_400_000;

export const weekOf = (time: Date): number => Math.floor(time.getTime() / WEEK_MS);

/** Begins with a character that no word contains, so that no text marks itself as another project's. */
const projectMark = (projectId: string) => `\u0001${projectId}`;
const weekMark = (projectId: string, week: number) => `\u0001${projectId}\u0001${week}`;

/** Returns the words of a turn, with the marks of its project and of its week that `turnsQuery` requires. */
export function turnWords({ projectId, configuration, text }: Words, at: Date): SQL {
  const marks = sql.param([projectMark(projectId), weekMark(projectId, weekOf(at))]);
  const own =
    configuration === SIMPLE ? sql`` : sql` || to_tsvector(${configuration}::regconfig, ${text}::text)`;
  return sql`to_tsvector('simple', ${text}::text)${own} || array_to_tsvector(${marks}::text[])`;
}

/** Returns the query for the words in any turn. It finds nothing alone that has no words. */
export function wordsQuery({ configuration, text }: Omit<Words, 'projectId'>): SQL {
  const own =
    configuration === SIMPLE
      ? sql``
      : sql` || websearch_to_tsquery(${configuration}::regconfig, ${text}::text)`;
  return sql`websearch_to_tsquery('simple', ${text}::text)${own}`;
}

/** Returns the query for the words in the turns of a project, in all weeks if `weeks` is undefined. */
export function turnsQuery(words: Words, weeks: readonly number[] | undefined): SQL {
  const { projectId } = words;
  const marks =
    weeks === undefined ? [projectMark(projectId)] : weeks.map((week) => weekMark(projectId, week));
  const ofProject = marks.map(quoted).join(' | ');
  return sql`((${wordsQuery(words)}) && ${ofProject}::tsquery)`;
}

/** Quotes a word for PostgreSQL's syntax of queries. */
const quoted = (word: string) => `'${word.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
