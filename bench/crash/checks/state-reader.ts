import { openDatabase } from '@switchboard/database';
import type { FoundPerson } from './joins.ts';
import type { FoundState } from './state.ts';

/** Reads the state of all people and groups, and the persons with several ids, from the flags service's database. No API operation returns all of it. */
export async function readUserState(url: string): Promise<FoundState & { persons: FoundPerson[] }> {
  const database = openDatabase({ url, applicationName: 'crash' });
  try {
    const { sql } = database;
    const people = await sql<FoundState['people']>`
      select project_id as project, distinct_id as id, traits, groups from people`;
    const groups = await sql<FoundState['groups']>`select project_id as project, id, traits from groups`;
    const persons = await sql<FoundPerson[]>`select project_id as project, ids from persons`;
    return { people: [...people], groups: [...groups], persons: [...persons] };
  } finally {
    await database.close();
  }
}
