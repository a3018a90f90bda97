import type { Client } from '@switchboard/management';
import { z } from 'zod';
import { listObjects } from '../list-all.ts';
import { applySteps, type Outcome } from '../manifest/apply.ts';
import { kinds } from '../manifest/kinds.ts';
import { importStages, type Step } from '../manifest/steps.ts';
import type { Conversion } from './conversion/conversion.ts';

interface ImportFlagsOptions {
  client: Client;
  projectId: string;
  /** Replaces flags and cohorts that exist and differ. */
  overwrite: boolean;
  /** Computes the changes without writing them. */
  dryRun: boolean;
  onOutcome?: (outcome: Outcome, settled: number, all: number) => void;
}

export interface Imported {
  outcomes: Outcome[];
  /** Flags and cohorts that were not written, and why. */
  conflicts: { kind: string; id: string; reason: string }[];
}

/**
 * Writes converted flags and cohorts. An existing one that differs is a conflict, unless `overwrite` is set, and so is
 * a flag that needs one in conflict. Throws ManagementError. Importing again resumes.
 */
export async function importFlags(
  { cohorts, flags }: Pick<Conversion, 'cohorts' | 'flags'>,
  { client, projectId, overwrite, dryRun, onOutcome }: ImportFlagsOptions,
): Promise<Imported> {
  // Fails for a project that does not exist.
  await listObjects(client, kinds.flag.list, { projectId });
  const stages = importStages({ id: projectId, cohorts, flags });
  const steps = stages.flat();
  const compared = await applySteps(stages, { client, dryRun: true });
  const found = new Map(steps.map((step, index) => [step, compared[index]?.change]));
  const outcomes: Outcome[] = compared.filter(({ change }) => change === 'unchanged');
  const blocked = new Map<string, string>();
  for (const stage of stages) {
    const wanted = stage.filter((step) => {
      const change = found.get(step);
      if (change === 'unchanged') return false;
      const needed = needsOf(step).find((name) => blocked.has(name));
      if (needed !== undefined) blocked.set(nameOf(step), `needs ${needed}, which is not imported`);
      else if (change === 'changed' && !overwrite)
        blocked.set(nameOf(step), 'exists and differs; --overwrite replaces it');
      return !blocked.has(nameOf(step));
    });
    const done = await applySteps([wanted], { client, dryRun, ...(onOutcome && { onOutcome }) });
    outcomes.push(...done);
    const waiting = wanted.filter((_, index) => done[index]?.change === 'requested');
    for (const step of waiting) blocked.set(nameOf(step), WAITS);
  }
  const conflicts = steps.flatMap((step) => {
    const reason = blocked.get(nameOf(step));
    const { kind, id } = identityOf(step);
    return reason === undefined || reason === WAITS ? [] : [{ kind, id, reason }];
  });
  return { outcomes, conflicts };
}

const WAITS = 'waits for approval';

function identityOf({ kind, params }: Step): { kind: string; id: string } {
  return { kind: kind.name, id: params[kind.ids.at(-1) ?? ''] ?? '' };
}

function nameOf(step: Step): string {
  const { kind, id } = identityOf(step);
  return `${kind} ${id}`;
}

const clauses = z.array(z.object({ op: z.string(), value: z.unknown() })).default([]);
const references = z.object({
  targeting: clauses,
  rules: z.array(z.object({ targeting: clauses })).default([]),
  prerequisites: z.array(z.object({ flagKey: z.string() })).default([]),
});

/** Returns the names of the cohorts and flags that a flag refers to. */
function needsOf({ kind, wanted }: Step): string[] {
  if (kind !== kinds.flag) return [];
  const flag = references.parse(wanted);
  const all = [...flag.targeting, ...flag.rules.flatMap((rule) => rule.targeting)];
  const cohortIds = all.flatMap(({ op, value }) => (op.endsWith('in_cohort') ? [value].flat() : []));
  return [
    ...cohortIds.map((id) => `cohort ${id}`),
    ...flag.prerequisites.map(({ flagKey }) => `flag ${flagKey}`),
  ];
}
