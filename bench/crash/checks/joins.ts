import { certainty, type Request } from '../ledger.ts';
import { anonymousId, callTime, person } from '../traffic.ts';

/** The ids of a person with several ids. */
export interface FoundPerson {
  project: string;
  ids: string[];
}

export interface JoinsVerdict {
  /** The number of ids that identify calls named as anonymous. */
  compared: number;
  faults: string[];
}

/** An identify call that names an anonymous id. */
interface Claim {
  at: number;
  by: string;
  isSure: boolean;
}

/**
 * Compares the anonymous ids of identify calls with the persons: each belongs to the person of the earliest accepted
 * call that names it, and no id belongs to two persons.
 */
export function checkJoins(
  requests: readonly Request[],
  found: readonly FoundPerson[],
  base: number,
): JoinsVerdict {
  const faults: string[] = [];
  const persons = new Map<string, FoundPerson>();
  for (const one of found) {
    for (const id of one.ids) {
      const name = `${one.project} ${id}`;
      if (persons.has(name)) faults.push(`${name}: belongs to two persons`);
      persons.set(name, one);
    }
  }
  const claims = Map.groupBy(requests.flatMap(claimOf), ({ name }) => name);
  for (const [name, contenders] of claims) {
    const [project = '', id = ''] = name.split(' ');
    const others = persons
      .get(name)
      ?.ids.filter((other) => other !== id && !claims.has(`${project} ${other}`));
    const possible = possiblePersons(contenders);
    const actual = others?.join(' and ');
    if (!possible.has(actual))
      faults.push(`${name}: is of ${actual ?? 'no one'}, expected ${[...possible].join(' or ')}`);
  }
  for (const name of persons.keys()) {
    const [project = '', id = ''] = name.split(' ');
    const isNamed = [...claims.values()].flat().some((one) => one.project === project && one.by === id);
    if (!claims.has(name) && !isNamed) faults.push(`${name}: is joined, which no accepted call asked for`);
  }
  return { compared: claims.size, faults };

  function claimOf(request: Request): (Claim & { name: string; project: string })[] {
    const { kind, project, round, first } = request;
    const numbered = { project, round, number: first };
    const id = kind === 'identify' ? anonymousId(numbered) : undefined;
    const sure = certainty(request);
    if (id === undefined || sure === 'no') return [];
    const isSure = sure === 'yes';
    return [
      { name: `${project} ${id}`, project, at: callTime(numbered, base), by: person(numbered), isSure },
    ];
  }
}

/** Returns the person of the earliest certain call, and those of earlier uncertain ones. Undefined: the id is alone. */
function possiblePersons(contenders: readonly Claim[]): Set<string | undefined> {
  const sure = contenders.filter(({ isSure }) => isSure);
  const first = sure.reduce<Claim | undefined>(
    (best, one) => (best === undefined || one.at < best.at ? one : best),
    undefined,
  );
  const earlier = contenders.filter(
    ({ isSure, at }) => !isSure && at < (first?.at ?? Number.POSITIVE_INFINITY),
  );
  return new Set([first?.by, ...earlier.map(({ by }) => by)]);
}
