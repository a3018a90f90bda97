import type { Person, ProjectAccess } from '@switchboard/service-kit';

/** The person who makes a request and the project it is about; access was checked. */
export interface Caller {
  project: ProjectAccess;
  person: Person;
}
