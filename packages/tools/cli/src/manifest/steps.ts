import type { FlagEntry } from '@switchboard/contracts';
import { type Kind, kinds } from './kinds.ts';
import type { Manifest, ManifestCompany, ManifestProject } from './manifest.ts';

/** One resource of a manifest. */
export interface Step {
  kind: Kind;
  params: Record<string, string>;
  wanted: Record<string, unknown>;
  /** The environment variable with a secret that the definition needs, and the definition with the secret. */
  secret?: { variable: string; withSecret(value: string): Record<string, unknown> };
}

/** Groups the steps in stages. The steps of a stage run in parallel, after the previous stage. */
export function stagesOf({ plans, ai, companies }: Manifest): Step[][] {
  const projects = companies.flatMap((company) => company.projects);
  const stages = [
    // One stage for each plan, because plans are listed in creation order.
    ...plans.map(({ tier, cycle, ...wanted }) => [{ kind: kinds.plan, params: { tier, cycle }, wanted }]),
    ai.models.map(({ id, ...wanted }) => ({ kind: kinds.model, params: { id }, wanted })),
    [
      ...(ai.markupPercent === undefined
        ? []
        : [{ kind: kinds.markup, params: {}, wanted: { markupPercent: ai.markupPercent } }]),
      ...companies.map(companyStep),
    ],
    companies.flatMap((company) => [
      ...memberSteps(company),
      ...signInSteps(company),
      ...projectSteps(company),
    ]),
    projects.flatMap(partSteps),
    // After their reports and dashboards.
    projects.flatMap(subscriptionSteps),
    projects.flatMap(({ id: projectId, messenger }) =>
      messenger === undefined ? [] : [{ kind: kinds.messenger, params: { projectId }, wanted: messenger }],
    ),
    ...flagStages(projects),
    // Last, because it is refused without a plan that includes it.
    projects.flatMap(({ id: projectId, articleSearch }) =>
      articleSearch === undefined
        ? []
        : [{ kind: kinds.articleSearch, params: { projectId }, wanted: articleSearch }],
    ),
  ];
  return stages.filter((stage) => stage.length > 0);
}

/** The part of a project that an import of flags writes. */
export type ImportedProject = Pick<ManifestProject, 'id' | 'cohorts' | 'flags'>;

/** Groups the steps for cohorts and flags in stages. */
export function importStages(project: ImportedProject): Step[][] {
  return [cohortSteps(project), ...flagStages([project])].filter((stage) => stage.length > 0);
}

function cohortSteps({ id: projectId, cohorts }: Pick<ManifestProject, 'id' | 'cohorts'>): Step[] {
  return cohorts.map(({ id: cohortId, ...wanted }) => ({
    kind: kinds.cohort,
    params: { projectId, cohortId },
    wanted,
  }));
}

function companyStep({
  id: companyId,
  members: _,
  projects: __,
  signIn: ___,
  ...wanted
}: ManifestCompany): Step {
  return { kind: kinds.company, params: { companyId }, wanted };
}

function memberSteps({ id: companyId, members }: ManifestCompany): Step[] {
  return members.map(({ sub, ...wanted }) => ({ kind: kinds.member, params: { companyId, sub }, wanted }));
}

function signInSteps({ id: companyId, signIn }: ManifestCompany): Step[] {
  if (signIn === undefined) return [];
  const { domains, groupRoles, provider: written } = signIn;
  const { clientSecretVariable: variable, ...provider } = written ?? { clientSecretVariable: undefined };
  const settings = { provider: written === null ? null : provider, groupRoles };
  return [
    ...domains.map((domain) => ({ kind: kinds.domain, params: { companyId, domain }, wanted: {} })),
    {
      kind: kinds.signIn,
      params: { companyId },
      wanted: settings,
      ...(variable !== undefined && {
        secret: {
          variable,
          withSecret: (clientSecret) => ({ ...settings, provider: { ...provider, clientSecret } }),
        },
      }),
    },
  ];
}

/** Returns the steps of the projects of a company. */
export function projectSteps({ id: companyId, projects }: ManifestCompany): Step[] {
  return projects.map(
    ({ id: projectId, name, region, defaultLanguage, allowedOrigins, wires, flagApprovals }) => ({
      kind: kinds.project,
      params: { projectId },
      wanted: {
        companyId,
        name,
        region,
        defaultLanguage,
        ...(allowedOrigins && { allowedOrigins }),
        ...(wires && { wires }),
        ...(flagApprovals !== undefined && { flagApprovals }),
      },
    }),
  );
}

function partSteps({
  id: projectId,
  reports,
  dashboards,
  cohorts,
  dictionary,
  alerts,
  webhooks,
  team,
  support,
}: ManifestProject): Step[] {
  return [
    ...reports.map(({ id: reportId, ...wanted }) => ({
      kind: kinds.report,
      params: { projectId, reportId },
      wanted,
    })),
    ...dashboards.map(({ id: dashboardId, ...wanted }) => ({
      kind: kinds.dashboard,
      params: { projectId, dashboardId },
      wanted,
    })),
    ...cohortSteps({ id: projectId, cohorts }),
    ...dictionary.map(({ kind, name, ...wanted }) => ({
      kind: kinds.definition,
      params: { projectId, kind, name },
      wanted,
    })),
    ...alerts.map(({ id: alertId, ...wanted }) => ({
      kind: kinds.alert,
      params: { projectId, alertId },
      wanted,
    })),
    ...webhooks.map(({ id: webhookId, ...wanted }) => ({
      kind: kinds.webhook,
      params: { projectId, webhookId },
      wanted,
    })),
    ...team.map(({ id: userId, ...wanted }) => ({
      kind: kinds.teammate,
      params: { projectId, userId },
      wanted,
    })),
    ...(support === undefined ? [] : [{ kind: kinds.support, params: { projectId }, wanted: support }]),
  ];
}

function subscriptionSteps({ id: projectId, subscriptions }: ManifestProject): Step[] {
  return subscriptions.map(({ id: subscriptionId, ...wanted }) => ({
    kind: kinds.subscription,
    params: { projectId, subscriptionId },
    wanted,
  }));
}

/** Returns the stages of the flags. A flag comes after its prerequisites. The service rejects a cycle. */
function flagStages(projects: readonly Pick<ManifestProject, 'id' | 'flags'>[]): Step[][] {
  const byDepth = new Map<number, Step[]>();
  for (const { id: projectId, flags } of projects) {
    const depthOf = depths(flags);
    for (const flag of flags) {
      const { key, ...wanted } = flag;
      const step = { kind: kinds.flag, params: { projectId, key }, wanted };
      const depth = depthOf(flag);
      byDepth.set(depth, [...(byDepth.get(depth) ?? []), step]);
    }
  }
  return [...byDepth].sort(([one], [other]) => one - other).map(([, steps]) => steps);
}

function depths(flags: readonly FlagEntry[]): (flag: FlagEntry) => number {
  const byKey = new Map(flags.map((flag) => [flag.key, flag]));
  const known = new Map<FlagEntry, number>();
  return function depthOf(flag): number {
    const depth = known.get(flag);
    if (depth !== undefined) return depth;
    known.set(flag, 0);
    const needed = (flag.prerequisites ?? []).flatMap(({ flagKey }) => byKey.get(flagKey) ?? []);
    const found = needed.reduce((max, one) => Math.max(max, depthOf(one) + 1), 0);
    known.set(flag, found);
    return found;
  };
}
