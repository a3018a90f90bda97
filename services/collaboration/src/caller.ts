import type { Person, ProjectAccess } from '@switchboard/service-kit';

/** Whose request it is, and in which project; both were checked. */
export interface Caller {
  project: ProjectAccess;
  person: Person;
}
