import {
  aiMarkup,
  aiModelDefinition,
  cohortDefinition,
  companyDefinition,
  flagEntry,
  id,
  memberDefinition,
  messengerSettings,
  planDefinition,
  projectDefinition,
  reportDefinition,
  teammateDefinition,
} from '@switchboard/contracts';
import { parseDocument } from 'yaml';
import { z } from 'zod';

const project = projectDefinition.omit({ companyId: true }).extend({
  id,
  reports: z.array(reportDefinition.extend({ id }).strict()).default([]),
  cohorts: z.array(z.strictObject({ id, ...cohortDefinition.shape })).default([]),
  flags: z.array(flagEntry.strict()).default([]),
  team: z.array(teammateDefinition.extend({ id }).strict()).default([]),
  /** Without a team of its own it shows the project's, with the pictures they have. */
  messenger: messengerSettings.partial({ team: true }).strict().optional(),
});

const company = companyDefinition.extend({
  id,
  members: z.array(memberDefinition.extend({ sub: id }).strict()).default([]),
  projects: z.array(project.strict()).default([]),
});

/**
 * What a manifest may hold: plans, AI models, and companies with their members and projects. Every part is
 * what the management API takes, with the identifiers of its path beside it. Nothing in it is a secret.
 */
export const manifest = z.strictObject({
  plans: z.array(planDefinition.extend({ tier: id, cycle: id }).strict()).default([]),
  ai: z
    .strictObject({
      markupPercent: aiMarkup.shape.markupPercent.optional(),
      models: z.array(aiModelDefinition.extend({ id }).strict()).default([]),
    })
    .default({ models: [] }),
  companies: z.array(company.strict()).default([]),
});
export type Manifest = z.infer<typeof manifest>;
export type ManifestCompany = Manifest['companies'][number];
export type ManifestProject = ManifestCompany['projects'][number];

/** The manifest is not readable; the message names every place that is wrong. */
export class ManifestError extends Error {
  override name = 'ManifestError';
}

/** Parses a manifest from YAML (or JSON). Throws ManifestError. */
export function parseManifest(source: string): Manifest {
  const document = parseDocument(source);
  const fault = document.errors[0];
  if (fault !== undefined) throw new ManifestError(`not YAML: ${fault.message}`);
  const parsed = manifest.safeParse(document.toJS() ?? {});
  if (!parsed.success) throw new ManifestError(z.prettifyError(parsed.error));
  const twice = namedTwice(parsed.data);
  if (twice !== undefined) throw new ManifestError(`${twice} is there twice`);
  return parsed.data;
}

/** The first thing that a manifest describes twice: which of the two is meant nobody can tell. */
function namedTwice({ plans, ai, companies }: Manifest): string | undefined {
  const projects = companies.flatMap((one) => one.projects);
  const names = [
    ...plans.map(({ tier, cycle }) => `plan ${tier} ${cycle}`),
    ...ai.models.map((one) => `model ${one.id}`),
    ...companies.map((one) => `company ${one.id}`),
    ...companies.flatMap((one) => one.members.map(({ sub }) => `member ${one.id} ${sub}`)),
    ...projects.map((one) => `project ${one.id}`),
    ...projects.flatMap((one) => [
      ...one.reports.map((of) => `report ${one.id} ${of.id}`),
      ...one.cohorts.map((of) => `cohort ${one.id} ${of.id}`),
      ...one.flags.map((of) => `flag ${one.id} ${of.key}`),
      ...one.team.map((of) => `teammate ${one.id} ${of.id}`),
    ]),
  ];
  return names.find((name, index) => names.indexOf(name) !== index);
}
