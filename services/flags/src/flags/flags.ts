import { isDeepStrictEqual } from 'node:util';
import type { FlagDefinition, FlagEntry } from '@switchboard/contracts';
import { validateFlag } from '@switchboard/flag-engine';
import { BadRequest, Conflict, NotFound } from '@switchboard/service-kit';
import { type EditOptions, editRuleset } from '../rulesets/edit.ts';
import { createFlagsStore } from './store.ts';

export interface Flags {
  list(projectId: string): Promise<FlagEntry[]>;
  /** Throws NotFound. */
  get(projectId: string, key: string): Promise<FlagEntry>;
  /** Creates or replaces a flag. Throws BadRequest if it conflicts with the project's other flags. */
  put(projectId: string, key: string, definition: FlagDefinition): Promise<FlagEntry>;
  /** Throws Conflict while another flag has it as a prerequisite. */
  remove(projectId: string, key: string): Promise<void>;
}

const MAX_NAMED = 5;

/** Manages the flags of projects. */
export function createFlags(options: EditOptions): Flags {
  const store = createFlagsStore(options.database.drizzle);
  return {
    list: store.list,

    async get(projectId, key) {
      const flag = await store.find(projectId, key);
      if (flag === undefined) throw new NotFound('Flag not found.');
      return flag;
    },

    put: (projectId, key, definition) =>
      editRuleset(options, projectId, async (tx) => {
        const locked = createFlagsStore(tx);
        const flag: FlagEntry = { key, ...definition };
        const existing = await locked.list(projectId);
        const [fault] = validateFlag(flag, existing);
        if (fault !== undefined) throw new BadRequest(`${fault.path}: ${fault.problem}`);
        const stored = existing.find((other) => other.key === key);
        const hasChanged = !isDeepStrictEqual(stored, flag);
        if (hasChanged) await locked.save(projectId, flag);
        return { result: flag, hasChanged };
      }),

    remove: (projectId, key) =>
      editRuleset(options, projectId, async (tx) => {
        const locked = createFlagsStore(tx);
        const existing = await locked.list(projectId);
        const dependents = existing.filter(
          (flag) => flag.key !== key && flag.prerequisites?.some(({ flagKey }) => flagKey === key),
        );
        if (dependents.length > 0) throw new Conflict(describeDependents(dependents));
        const hasChanged = existing.some((flag) => flag.key === key);
        if (hasChanged) await locked.remove(projectId, key);
        return { result: undefined, hasChanged };
      }),
  };
}

function describeDependents(dependents: readonly FlagEntry[]): string {
  const names = dependents.slice(0, MAX_NAMED).map(({ key }) => `"${key}"`);
  const more = dependents.length > MAX_NAMED ? ` and ${dependents.length - MAX_NAMED} more` : '';
  return `The flag is a prerequisite of ${names.join(', ')}${more}. Change or delete those flags first.`;
}
