import {
  type FlagEntry,
  type Operation,
  putAiMarkup,
  putAiModel,
  putCohort,
  putCompany,
  putFlag,
  putMember,
  putPlan,
  putProject,
  putReport,
} from '@switchboard/contracts';
import type { ManagementClient } from './management-client.ts';
import type { Manifest } from './manifest.ts';

interface Step {
  operation: Operation;
  params: Record<string, string>;
  body: unknown;
}

interface ApplyOptions {
  client: ManagementClient;
  /** Told before each call, with what it is about, e.g. `flag new-checkout`. */
  onStep?: (what: string) => void;
}

/**
 * Makes what a manifest describes exist, through the management API. Every call creates or replaces, so
 * applying twice changes nothing; what the manifest does not name is left alone. Returns the number of calls.
 * Throws ManagementError at the first call that is refused.
 */
export async function applyManifest(manifest: Manifest, { client, onStep }: ApplyOptions): Promise<number> {
  const all = steps(manifest);
  for (const { operation, params, body } of all) {
    onStep?.(`${operation.operationId} ${Object.values(params).join(' ')}`.trim());
    await client.call(operation, { params, body });
  }
  return all.length;
}

/** The calls in an order in which everything named is there already. */
function steps({ plans, ai, companies }: Manifest): Step[] {
  const { markupPercent } = ai;
  return [
    ...plans.map(({ tier, cycle, ...body }) => ({ operation: putPlan, params: { tier, cycle }, body })),
    ...ai.models.map(({ id, ...body }) => ({ operation: putAiModel, params: { id }, body })),
    ...(markupPercent === undefined ? [] : [{ operation: putAiMarkup, params: {}, body: { markupPercent } }]),
    ...companies.flatMap(companySteps),
  ];
}

function companySteps({ id: companyId, members, projects, ...body }: Manifest['companies'][number]): Step[] {
  return [
    { operation: putCompany, params: { companyId }, body },
    ...members.map(({ sub, ...member }) => ({
      operation: putMember,
      params: { companyId, sub },
      body: member,
    })),
    ...projects.flatMap((project) => projectSteps(companyId, project)),
  ];
}

type ManifestProject = Manifest['companies'][number]['projects'][number];

function projectSteps(
  companyId: string,
  { id: projectId, reports, cohorts, flags, ...body }: ManifestProject,
): Step[] {
  return [
    { operation: putProject, params: { projectId }, body: { companyId, ...body } },
    ...reports.map(({ id: reportId, ...report }) => ({
      operation: putReport,
      params: { projectId, reportId },
      body: report,
    })),
    ...cohorts.map(({ id: cohortId, ...cohort }) => ({
      operation: putCohort,
      params: { projectId, cohortId },
      body: cohort,
    })),
    ...prerequisitesFirst(flags).map(({ key, ...flag }) => ({
      operation: putFlag,
      params: { projectId, key },
      body: flag,
    })),
  ];
}

/** A flag is written after those it depends on; a cycle is left for the service to refuse. */
function prerequisitesFirst(flags: readonly FlagEntry[]): FlagEntry[] {
  const byKey = new Map(flags.map((flag) => [flag.key, flag]));
  const ordered = new Set<FlagEntry>();
  const entered = new Set<FlagEntry>();
  function visit(flag: FlagEntry): void {
    if (entered.has(flag)) return;
    entered.add(flag);
    for (const { flagKey } of flag.prerequisites ?? []) {
      const needed = byKey.get(flagKey);
      if (needed !== undefined) visit(needed);
    }
    ordered.add(flag);
  }
  for (const flag of flags) visit(flag);
  return [...ordered];
}
