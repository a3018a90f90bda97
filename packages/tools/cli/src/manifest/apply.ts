import { type Client, isNotFound, ManagementError } from '@switchboard/management';
import { retry } from '@switchboard/resilience';
import pMap from 'p-map';
import { z } from 'zod';
import { type Difference, differencesOf } from './compare.ts';
import { definitionOf, type Kind, kinds } from './kinds.ts';
import type { Manifest } from './manifest.ts';
import { projectSteps, type Step, stagesOf } from './steps.ts';
import { withSupport } from './support.ts';
import { teamOf } from './team.ts';
import { ManifestError } from './yaml.ts';

export interface Outcome {
  kind: string;
  /** Identifiers, in the order of the command line. */
  ids: string[];
  /** requested: the change of a flag waits for the approval of others. */
  change: 'created' | 'changed' | 'requested' | 'unchanged';
  /** The differences between the deployment and the manifest. Empty when created or unchanged. */
  differences: Difference[];
  /** The deployment's warnings about probable mistakes in the manifest. */
  warnings: string[];
}

interface ApplyOptions {
  client: Client;
  /** Called when each resource is done, with the count so far and the total. */
  onOutcome?: (outcome: Outcome, settled: number, all: number) => void;
  /** Returns a variable of the environment. */
  variable?: (name: string) => string | undefined;
  /** Computes the changes without writing them. */
  dryRun?: boolean;
}

const MAX_CALLS_IN_FLIGHT = 8;
/** The time in which other services learn of a plan that was just written. */
const PLAN_ARRIVES_MS = 5_000;
const record = z.record(z.string(), z.unknown());
const givesPlans = new Set<string>([kinds.plan.name, kinds.company.name]);
const warned = z.looseObject({ warnings: z.array(z.string()).default([]) });

/**
 * Creates and updates the resources of a manifest through the management API. Unchanged resources are not written,
 * and resources that are not in the manifest are not changed. Throws ManagementError on the first rejected call.
 * Applying again resumes.
 */
export async function applyManifest(manifest: Manifest, options: ApplyOptions): Promise<Outcome[]> {
  const outcomes = await applySteps(stagesOf(manifest), options);
  if (options.dryRun !== true) await requireApprovals(manifest, outcomes, options.client);
  return outcomes;
}

/** Like applyManifest, for the steps of stages. The outcomes have the order of the steps. */
export async function applySteps(
  stages: readonly (readonly Step[])[],
  options: ApplyOptions,
): Promise<Outcome[]> {
  const all = stages.reduce((sum, stage) => sum + stage.length, 0);
  const outcomes: Outcome[] = [];
  let settled = 0;
  for (const stage of stages) {
    const hasNewPlan = outcomes.some(({ kind, change }) => givesPlans.has(kind) && change !== 'unchanged');
    const done = await pMap(
      stage,
      async (step) => {
        const outcome = await settle(step, options, hasNewPlan);
        settled++;
        options.onOutcome?.(outcome, settled, all);
        return outcome;
      },
      { concurrency: MAX_CALLS_IN_FLIGHT },
    );
    outcomes.push(...done);
  }
  return outcomes;
}

/** Sets `flagApprovals` of the projects that were created. Their first flags need no approval. */
async function requireApprovals(
  { companies }: Manifest,
  outcomes: readonly Outcome[],
  client: Client,
): Promise<void> {
  const created = new Set(
    outcomes.flatMap(({ kind, change, ids }) =>
      kind === kinds.project.name && change === 'created' ? ids : [],
    ),
  );
  for (const step of companies.flatMap(projectSteps))
    if (step.wanted['flagApprovals'] !== undefined && created.has(step.params['projectId'] ?? ''))
      await client.untyped.call(step.kind.put ?? 'putProject', { params: step.params, body: step.wanted });
}

/** Returns the changes that applying the manifest would make. Writes nothing. */
export function diffManifest(manifest: Manifest, options: Omit<ApplyOptions, 'dryRun'>): Promise<Outcome[]> {
  return applyManifest(manifest, { ...options, dryRun: true });
}

async function settle(
  step: Step,
  { client, variable, dryRun = false }: ApplyOptions,
  hasNewPlan: boolean,
): Promise<Outcome> {
  const { kind, params } = step;
  const current = await read(client, kind, params);
  const wanted = await wantedOf(step, current, client);
  const outcome = (
    change: Outcome['change'],
    found: Partial<Pick<Outcome, 'differences' | 'warnings'>> = {},
  ): Outcome => ({
    kind: kind.name,
    ids: kind.ids.map((id) => params[id] ?? ''),
    change,
    differences: [],
    warnings: [],
    ...found,
  });
  const differences =
    current === undefined ? [] : differencesOf(definitionOf(kind, current), definitionOf(kind, wanted));
  if (current !== undefined && differences.length === 0) return outcome('unchanged');
  if (dryRun || kind.put === undefined)
    return outcome(current === undefined ? 'created' : 'changed', { differences });
  const { flagApprovals: _, ...withoutApprovals } = wanted;
  const isNewProject = kind === kinds.project && current === undefined;
  const body = isNewProject ? withoutApprovals : withSecret(step, wanted, variable);
  // Another person may create the flag at the same moment.
  const headers = kind === kinds.flag && current === undefined ? { 'If-None-Match': '*' } : {};
  const { put } = kind;
  const write = () => client.untyped.call(put, { params, headers, body });
  const answer = await (hasNewPlan ? untilPlanArrives(write) : write()).catch((error: unknown) => {
    if (error instanceof ManagementError && error.code === 'APPROVAL_REQUIRED') return undefined;
    throw error;
  });
  if (answer === undefined) {
    const { projectId = '', key = '' } = params;
    await client.untyped.call('requestFlagChange', { params: { projectId }, body: { key, flag: wanted } });
    return outcome('requested', { differences });
  }
  const written = warned.safeParse(answer).data;
  return outcome(current === undefined ? 'created' : 'changed', {
    differences,
    warnings: written?.warnings ?? [],
  });
}

/** Repeats a write that the plan does not include yet, for a bounded time. */
function untilPlanArrives<T>(write: () => Promise<T>): Promise<T> {
  return retry(write, {
    maxMs: 1_000,
    signal: AbortSignal.timeout(PLAN_ARRIVES_MS),
    isRetryable: (error) => error instanceof ManagementError && error.code === 'PLAN_REQUIRED',
  });
}

/** Returns the definition to write, with its secret. Throws ManifestError if its variable is not set. */
function withSecret({ kind, params, secret }: Step, wanted: Definition, variable: ApplyOptions['variable']) {
  if (secret === undefined) return wanted;
  const value = variable?.(secret.variable) ?? '';
  if (value !== '') return secret.withSecret(value);
  const named = [kind.name, ...Object.values(params)].join(' ');
  throw new ManifestError(`${named}: set the environment variable ${secret.variable} to its secret`);
}

/** Returns the current resource, or undefined if it or its parent does not exist, or was never changed. */
async function read(client: Client, { get }: Kind, params: Record<string, string>) {
  if (get === undefined) return undefined;
  try {
    const found = record.parse(await client.untyped.call(get, { params }));
    return get === kinds.support.get && found['version'] === 0 ? undefined : found;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

type Definition = Record<string, unknown>;

/** Returns the wanted resource with the properties that a manifest does not manage. */
async function wantedOf(
  { kind, params, wanted }: Step,
  current: Definition | undefined,
  client: Client,
): Promise<Definition> {
  if (kind === kinds.support) return withSupport(current, wanted);
  if (kind === kinds.messenger && wanted['team'] === undefined) {
    return { ...wanted, team: await teamOf(client, params['projectId'] ?? '') };
  }
  return wanted;
}
