import { z } from 'zod';
import { inParallel } from '../in-parallel.ts';
import { isNotThere, type ManagementClient } from '../management-client.ts';
import { type Difference, differencesOf } from './compare.ts';
import { definitionOf, type Kind, kinds } from './kinds.ts';
import type { Manifest } from './manifest.ts';
import { type Step, stagesOf } from './steps.ts';
import { teamOf } from './team.ts';

export interface Outcome {
  kind: string;
  /** The identifiers, in the order of a command line. */
  ids: string[];
  change: 'created' | 'changed' | 'unchanged';
  /** Where what is there differs from what is wanted; empty when it is created or unchanged. */
  differences: Difference[];
}

interface ApplyOptions {
  client: ManagementClient;
  /** Told of each thing as it is settled, with how many are and how many there will be. */
  onOutcome?: (outcome: Outcome, settled: number, all: number) => void;
  /** Says what would change and changes nothing. */
  dryRun?: boolean;
}

/** Calls under way at once. */
const LANES = 8;
const record = z.record(z.string(), z.unknown());

/**
 * Makes what a manifest describes exist, through the management API, and says what that changed. What is as
 * described already is not written, and what the manifest does not name is left alone. Throws ManagementError
 * at the first call that is refused; applying again goes on from there.
 */
export async function applyManifest(manifest: Manifest, options: ApplyOptions): Promise<Outcome[]> {
  const stages = stagesOf(manifest);
  const all = stages.reduce((sum, stage) => sum + stage.length, 0);
  const outcomes: Outcome[] = [];
  let settled = 0;
  for (const stage of stages) {
    const done = await inParallel(stage, LANES, async (step) => {
      const outcome = await settle(step, options);
      settled++;
      options.onOutcome?.(outcome, settled, all);
      return outcome;
    });
    outcomes.push(...done);
  }
  return outcomes;
}

/** What applying a manifest would change; nothing is written. */
export function diffManifest(manifest: Manifest, options: Omit<ApplyOptions, 'dryRun'>): Promise<Outcome[]> {
  return applyManifest(manifest, { ...options, dryRun: true });
}

async function settle(step: Step, { client, dryRun = false }: ApplyOptions): Promise<Outcome> {
  const { kind, params } = step;
  const current = await read(client, kind, params);
  const wanted = await wantedOf(step, current, client);
  const outcome = (change: Outcome['change'], differences: Difference[] = []): Outcome => ({
    kind: kind.name,
    ids: kind.ids.map((id) => params[id] ?? ''),
    change,
    differences,
  });
  const differences =
    current === undefined ? [] : differencesOf(definitionOf(kind, current), definitionOf(kind, wanted));
  if (current !== undefined && differences.length === 0) return outcome('unchanged');
  if (!dryRun && kind.put !== undefined) await client.call(kind.put, { params, body: wanted });
  return current === undefined ? outcome('created') : outcome('changed', differences);
}

/** What is there; undefined when nothing is, or not what it belongs to either. */
async function read(client: ManagementClient, { get }: Kind, params: Record<string, string>) {
  if (get === undefined) return undefined;
  try {
    return record.parse(await client.call(get, { params }));
  } catch (error) {
    if (isNotThere(error)) return undefined;
    throw error;
  }
}

type Definition = Record<string, unknown>;

/** What is wanted, with what a manifest leaves to others. */
async function wantedOf(
  { kind, params, wanted }: Step,
  current: Definition | undefined,
  client: ManagementClient,
): Promise<Definition> {
  // Devices are subscribed by the people who hold them.
  if (kind === kinds.member && wanted['pushSubscriptions'] === undefined && current !== undefined) {
    return { ...wanted, pushSubscriptions: current['pushSubscriptions'] };
  }
  if (kind === kinds.messenger && wanted['team'] === undefined) {
    return { ...wanted, team: await teamOf(client, params) };
  }
  return wanted;
}
