import { isDeepStrictEqual } from 'node:util';
import type { FlagDefinition, FlagEntry } from '@switchboard/contracts';
import { validateFlag } from '@switchboard/flag-engine';
import { BadRequest, Conflict, NotFound } from '@switchboard/service-kit';
import { type Editing, edit } from './editing.ts';
import { findFlag, listFlags, removeFlag, upsertFlag } from './store.ts';

export interface Flags {
  list(projectId: string): Promise<FlagEntry[]>;
  /** Throws NotFound. */
  get(projectId: string, key: string): Promise<FlagEntry>;
  /** Creates or replaces; throws BadRequest when the flag does not fit the others. */
  put(projectId: string, key: string, definition: FlagDefinition): Promise<FlagEntry>;
  /** Throws Conflict while another flag has it as a prerequisite. */
  remove(projectId: string, key: string): Promise<void>;
}

/** The management of a project's flags. */
export function createFlags(editing: Editing): Flags {
  const { drizzle } = editing.database;
  return {
    list: (projectId) => listFlags(drizzle, projectId),

    async get(projectId, key) {
      const flag = await findFlag(drizzle, projectId, key);
      if (flag === undefined) throw new NotFound('The project has no such flag.');
      return flag;
    },

    put: (projectId, key, definition) =>
      edit(editing, projectId, async (tx) => {
        const flag: FlagEntry = { key, ...definition };
        const others = await listFlags(tx, projectId);
        const [fault] = validateFlag(flag, others);
        if (fault !== undefined) throw new BadRequest(`${fault.path}: ${fault.problem}`);
        const stored = others.find((other) => other.key === key);
        const hasChanged = !isDeepStrictEqual(stored, flag);
        if (hasChanged) await upsertFlag(tx, projectId, flag);
        return { answer: flag, hasChanged };
      }),

    remove: (projectId, key) =>
      edit(editing, projectId, async (tx) => {
        const flags = await listFlags(tx, projectId);
        const dependents = flags.filter(
          (flag) => flag.key !== key && flag.prerequisites?.some(({ flagKey }) => flagKey === key),
        );
        if (dependents.length > 0) throw new Conflict(refusal(dependents));
        const hasChanged = flags.some((flag) => flag.key === key);
        if (hasChanged) await removeFlag(tx, projectId, key);
        return { answer: undefined, hasChanged };
      }),
  };
}

const MOST_NAMED = 5;

function refusal(dependents: readonly FlagEntry[]): string {
  const names = dependents.slice(0, MOST_NAMED).map(({ key }) => `"${key}"`);
  const more = dependents.length > MOST_NAMED ? ` and ${dependents.length - MOST_NAMED} more` : '';
  return `The flag is a prerequisite of ${names.join(', ')}${more}. Change those first.`;
}
