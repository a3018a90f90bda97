import { useCall } from '../app/api.ts';
import { usePlace } from '../app/project.ts';

/** The event names of the project, most recent first. */
export function useEventNames(): readonly string[] {
  const { project } = usePlace();
  const { data } = useCall(['listEventNames', project.id], (client, options) =>
    client.call('listEventNames', { params: { projectId: project.id } }, options),
  );
  return data?.eventNames.map(({ name }) => name) ?? [];
}

const SAMPLE = 100;

/** The traits of the people who were seen last, with their values. */
export function useTraits(): ReadonlyMap<string, readonly string[]> {
  const { project, may } = usePlace();
  const { data } = useCall(
    ['listPeople', 'traits', project.id],
    (client, options) =>
      client.call('listPeople', { params: { projectId: project.id }, query: { limit: SAMPLE } }, options),
    { enabled: may('people.read') },
  );
  return valuesByName((data?.people ?? []).flatMap(({ traits }) => Object.entries(traits)));
}

/** The traits of the groups that were seen last, as attributes such as `group.company.plan`, with their values. */
export function useGroupTraits(isNeeded: boolean): ReadonlyMap<string, readonly string[]> {
  const { project, may } = usePlace();
  const { data } = useCall(
    ['listGroups', 'traits', project.id],
    (client, options) =>
      client.call('listGroups', { params: { projectId: project.id }, query: { limit: SAMPLE } }, options),
    { enabled: isNeeded && may('people.read') },
  );
  return valuesByName(
    (data?.groups ?? []).flatMap(({ type, traits }) =>
      Object.entries(traits).map(([name, value]) => [`group.${type}.${name}`, value] as const),
    ),
  );
}

function valuesByName(pairs: readonly (readonly [string, unknown])[]): Map<string, string[]> {
  const values = new Map<string, Set<string>>();
  for (const [name, value] of pairs) {
    const known = values.get(name) ?? new Set();
    values.set(name, known);
    if (typeof value !== 'object') known.add(String(value));
  }
  return new Map(Array.from(values, ([name, known]) => [name, [...known]]));
}

export const traitAttribute = (name: string) => `trait.${name}`;

/** The cohorts of the project, as options. */
export function useCohorts() {
  const { project } = usePlace();
  const { data } = useCall(['listCohorts', project.id], (client, options) =>
    client.call('listCohorts', { params: { projectId: project.id } }, options),
  );
  return (data?.cohorts ?? []).map(({ id, name }) => ({ value: id, title: name }));
}

/** The properties of an event with their frequent values, and the country that follows from a time zone. */
export function useProperties(event: string) {
  const { project } = usePlace();
  const known = useEventNames();
  const { data } = useCall(
    ['listEventProperties', project.id, event],
    (client, options) =>
      client.call('listEventProperties', { params: { projectId: project.id, name: event } }, options),
    { enabled: known.includes(event) },
  );
  const properties = data?.properties ?? [];
  const zones = properties.find(({ name }) => name === 'time_zone');
  const hasCountry = zones === undefined || properties.some(({ name }) => name === 'country');
  return hasCountry ? properties : [...properties, { ...zones, name: 'country', values: [] }];
}
