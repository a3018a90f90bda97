import {
  aiModelDefinition,
  cohortDefinition,
  companyDefinition,
  flagEntry,
  id,
  memberDefinition,
  planDefinition,
  projectDefinition,
  reportDefinition,
} from '@switchboard/contracts';
import { parseDocument } from 'yaml';
import { z } from 'zod';

const project = projectDefinition.omit({ companyId: true }).extend({
  id,
  reports: z.array(reportDefinition.extend({ id }).strict()).default([]),
  cohorts: z.array(z.strictObject({ id, ...cohortDefinition.shape })).default([]),
  flags: z.array(flagEntry.strict()).default([]),
});

const company = companyDefinition.extend({
  id,
  members: z.array(memberDefinition.extend({ sub: id }).strict()).default([]),
  projects: z.array(project.strict()).default([]),
});

/**
 * What a manifest may hold: plans, AI models, and companies with their members and projects. Every part is
 * what the management API takes, with the identifiers of its path beside it.
 */
export const manifest = z.strictObject({
  plans: z.array(planDefinition.extend({ tier: id, cycle: id }).strict()).default([]),
  ai: z
    .strictObject({
      markupPercent: z.int().min(0).optional(),
      models: z.array(aiModelDefinition.extend({ id }).strict()).default([]),
    })
    .default({ models: [] }),
  companies: z.array(company.strict()).default([]),
});
export type Manifest = z.infer<typeof manifest>;

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
  if (parsed.success) return parsed.data;
  throw new ManifestError(z.prettifyError(parsed.error));
}
