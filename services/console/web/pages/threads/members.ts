import { useCall } from '../../app/api.ts';
import { usePlace } from '../../app/project.ts';

export interface Colleague {
  sub: string;
  name: string;
}

const MOST = 200;

/** Returns the members of the company, whom comments mention and reports are sent to. */
export function useColleagues(): readonly Colleague[] {
  const { company } = usePlace();
  const { data } = useCall(['listMembers', 'colleagues', company.id], (client, options) =>
    client.call('listMembers', { params: { companyId: company.id }, query: { limit: MOST } }, options),
  );
  return (data?.members ?? []).map(({ sub, name }) => ({ sub, name: name ?? sub }));
}

/** Returns the names of members by their sub. The id stands for others, such as service tokens. */
export function useNames(): (sub: string | null) => string {
  const names = new Map(useColleagues().map(({ sub, name }) => [sub, name]));
  return (sub) => (sub === null ? '–' : (names.get(sub) ?? sub));
}

/** Returns the subs of the colleagues whom a text names, such as "@Ada Lovelace". Longer names win. */
export function mentionsIn(text: string, colleagues: readonly Colleague[]): string[] {
  const found = new Set<string>();
  let rest = text;
  for (const { sub, name } of [...colleagues].sort((one, other) => other.name.length - one.name.length)) {
    const named = `@${name}`;
    if (!rest.includes(named)) continue;
    found.add(sub);
    rest = rest.replaceAll(named, ' ');
  }
  return [...found];
}
