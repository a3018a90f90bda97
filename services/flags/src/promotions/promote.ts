import type { Clause, FlagEntry } from '@switchboard/contracts';
import type { Db, Tx } from '@switchboard/database';
import { isCohortClause, validateFlag } from '@switchboard/flag-engine';
import { type AuditedChange, Conflict, NotFound } from '@switchboard/http';
import { createCohortsStore } from '../cohorts/store.ts';
import type { Edit } from '../flag-history/history.ts';
import { type EditFlagOptions, editFlag, type FlagPath } from '../flags/edit-flag.ts';
import type { VersionedFlag } from '../flags/flags.ts';
import { createFlagsStore } from '../flags/store.ts';

/**
 * Copies a flag to another project. Throws NotFound without the flag, and Conflict if the other project lacks one of
 * its cohorts or prerequisites, or depends on its present definition.
 */
export async function promote(
  change: AuditedChange,
  options: EditFlagOptions,
  path: FlagPath,
  to: string,
  edit: Edit,
): Promise<VersionedFlag> {
  const promoted = await promotionOf(options.database.drizzle, path, to);
  let flag: FlagEntry | undefined;
  const etag = await editFlag(
    change,
    options,
    { projectId: to, key: path.key },
    edit,
    async (existing, tx) => {
      flag = await promoted(existing, tx);
      return flag;
    },
  );
  if (flag === undefined) throw new Error('the flag was not promoted');
  return { flag, etag };
}

/**
 * Reads a flag and the names of its cohorts. Returns the function that gives its state in the project `to`. Throws
 * NotFound without the flag; the function throws Conflict if the project lacks a cohort or a prerequisite.
 */
export async function promotionOf(db: Db, { projectId, key }: FlagPath, to: string) {
  const found = await createFlagsStore(db).find(projectId, key);
  if (found === undefined) throw new NotFound('Flag not found.');
  const names = new Map((await createCohortsStore(db).list(projectId)).map(({ id, name }) => [id, name]));
  return async (existing: readonly FlagEntry[], tx: Tx): Promise<FlagEntry> => {
    const flag = withCohorts(found.entry, await cohortsOf(tx, to, names));
    const [fault] = validateFlag(flag, existing);
    if (fault !== undefined) {
      throw new Conflict(
        `The flag conflicts with those of the other project. ${fault.path}: ${fault.problem}`,
      );
    }
    return flag;
  };
}

/**
 * Returns the function from the id of a cohort to the id of the cohort of the same name in the project `to`. It
 * throws Conflict if there is none, or if several have the name and none of them the id.
 */
async function cohortsOf(tx: Tx, to: string, names: ReadonlyMap<string, string>) {
  const there = await createCohortsStore(tx).list(to);
  return (id: Clause['value']): Clause['value'] => {
    const name = names.get(String(id));
    // A cohort that does not exist is empty in both projects.
    if (name === undefined) return id;
    const named = there.filter((cohort) => cohort.name === name);
    const same = named.find((cohort) => cohort.id === id) ?? (named.length === 1 ? named[0] : undefined);
    if (same !== undefined) return same.id;
    throw new Conflict(
      named.length === 0
        ? `The other project has no cohort "${name}". Create it there first.`
        : `The other project has ${named.length} cohorts "${name}". Rename all but one.`,
    );
  };
}

function withCohorts(flag: FlagEntry, cohortOf: (id: Clause['value']) => Clause['value']): FlagEntry {
  const mapped = (clauses: readonly Clause[]) =>
    clauses.map((clause): Clause => {
      if (!isCohortClause(clause)) return clause;
      const { value } = clause;
      return {
        ...clause,
        value: Array.isArray(value) ? value.map((id) => cohortOf(id) ?? id) : cohortOf(value),
      };
    });
  const { targeting, rules } = flag;
  return {
    ...flag,
    ...(targeting === undefined ? {} : { targeting: mapped(targeting) }),
    ...(rules === undefined
      ? {}
      : { rules: rules.map((rule) => ({ ...rule, targeting: mapped(rule.targeting) })) }),
  };
}
