import type { EventChoice, InsightClause, InsightQuery } from '@switchboard/contracts';
import { cohortsIn, isAboutCohorts } from '../conditions/cohorts.ts';

/** What a question reads, and where it says so: `series[0].where[1]`. */
interface Read {
  path: string;
  name: string;
}

/** The attributes and cohorts that a question reads, each at the first place that names it. */
export function readBy(question: InsightQuery): { attributes: Read[]; cohorts: Read[] } {
  const clauses = clausesOf(question);
  const [about, own] = [true, false].map((isAbout) =>
    clauses.filter(({ clause }) => isAboutCohorts(clause) === isAbout),
  );
  const properties =
    question.kind === 'trends'
      ? question.series.map(({ property }, index) => ({ path: `series[${index}].property`, name: property }))
      : [];
  const breakdown = 'breakdown' in question ? question.breakdown?.property : undefined;
  return {
    attributes: firstOf([
      ...(own ?? []).map(({ path, clause }) => ({ path, name: clause.attribute })),
      ...properties,
      { path: 'breakdown.property', name: breakdown },
    ]),
    cohorts: firstOf([
      ...(about ?? []).flatMap(({ path, clause }) =>
        (cohortsIn(clause) ?? []).map((name) => ({ path, name })),
      ),
      { path: 'cohort', name: question.cohort },
    ]),
  };
}

/** The clauses of a question. */
export function clausesOf(question: InsightQuery): { path: string; clause: InsightClause }[] {
  const choices = choicesOf(question).map(([path, { where = [] }]) => ({ path: `${path}.where`, where }));
  return [{ path: 'where', where: question.where ?? [] }, ...choices].flatMap(({ path, where }) =>
    where.map((clause, index) => ({ path: `${path}[${index}]`, clause })),
  );
}

function choicesOf(question: InsightQuery): [string, EventChoice][] {
  const numbered = (path: string, choices: readonly EventChoice[] = []) =>
    choices.map((choice, index): [string, EventChoice] => [`${path}[${index}]`, choice]);
  switch (question.kind) {
    case 'trends':
    case 'stickiness':
      return numbered('series', question.series);
    case 'funnel':
      return [...numbered('steps', question.steps), ...numbered('exclude', question.exclude)];
    case 'retention':
      return [
        ['start', question.start],
        ['return', question.return],
      ];
    case 'lifecycle':
      return [];
  }
}

function firstOf(reads: readonly { path: string; name: string | undefined }[]): Read[] {
  const found = new Map<string, Read>();
  for (const { path, name } of reads) {
    if (name !== undefined && !found.has(name)) found.set(name, { path, name });
  }
  return [...found.values()];
}
