import { clausesOf, type InsightQuery, type Path, propertiesOf } from '@switchboard/contracts';
import { isAboutPerson, parseAttribute } from '../conditions/attributes.ts';
import { cohortsIn, isAboutCohorts } from '../conditions/cohorts.ts';

/** An attribute or cohort that a query reads, and its path: `series[0].where[1]`. */
interface Read {
  path: string;
  name: string;
}

/** Returns the attributes and cohorts that a query reads, each with its first occurrence. */
export function readBy(query: InsightQuery): { attributes: Read[]; cohorts: Read[] } {
  const clauses = clausesOf(query).map(({ path, clause }) => ({ path: pathText(path), clause }));
  const [about, own] = [true, false].map((isAbout) =>
    clauses.filter(({ clause }) => isAboutCohorts(clause) === isAbout),
  );
  const properties =
    query.kind === 'trends'
      ? query.series.map(({ property }, index) => ({ path: `series[${index}].property`, name: property }))
      : [];
  const breakdown = 'breakdown' in query && query.breakdown ? propertiesOf(query.breakdown) : [];
  const same = query.kind === 'funnel' ? query.sameProperty : undefined;
  const named = query.kind === 'paths' ? query.property : undefined;
  return {
    attributes: firstOf([
      ...(own ?? []).map(({ path, clause }) => ({ path, name: clause.attribute })),
      ...properties,
      ...breakdown.map(({ property }, index) => ({
        path: index === 0 ? 'breakdown.property' : `breakdown.and[${index - 1}].property`,
        name: property,
      })),
      { path: 'sameProperty', name: same },
      { path: 'property', name: named },
    ]),
    cohorts: firstOf([
      ...(about ?? []).flatMap(({ path, clause }) =>
        (cohortsIn(clause) ?? []).map((name) => ({ path, name })),
      ),
      { path: 'cohort', name: query.cohort },
    ]),
  };
}

/** Whether the conditions and values of a query are those of events. What it counts may still be people. */
export function isAboutEvents(query: InsightQuery): boolean {
  const { attributes, cohorts } = readBy(query);
  return cohorts.length === 0 && !attributes.some(({ name }) => isAboutPerson(parseAttribute(name)));
}

/** Whether a query reads who the person of an event is. Plain counts and sums of events do not. */
export function readsPersons(query: InsightQuery): boolean {
  return (
    query.kind !== 'trends' ||
    query.series.some(({ measure }) => measure === 'people') ||
    !isAboutEvents(query)
  );
}

/** Formats a path for messages: `series[0].where[1]`. */
export function pathText(path: Path): string {
  return path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text === '' ? part : `${text}.${part}`),
    '',
  );
}

function firstOf(reads: readonly { path: string; name: string | undefined }[]): Read[] {
  const found = new Map<string, Read>();
  for (const { path, name } of reads) {
    if (name !== undefined && !found.has(name)) found.set(name, { path, name });
  }
  return [...found.values()];
}
