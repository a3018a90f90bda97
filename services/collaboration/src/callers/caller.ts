import type { Person, ProjectAccess } from '@switchboard/http';

/** The person who makes a request, and the project of the request. Access has been checked. */
export interface Caller {
  project: ProjectAccess;
  person: Person;
}
