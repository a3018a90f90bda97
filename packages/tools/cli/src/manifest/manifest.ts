import {
  aiMarkup,
  aiModelDefinition,
  alertDefinition,
  articleSearch,
  checkFlag,
  cohortDefinition,
  companyDefinition,
  companyDomainName,
  dashboardDefinition,
  dictionaryEntry,
  flagEntry,
  id,
  memberDefinition,
  messengerSettings,
  planDefinition,
  projectDefinition,
  reportDefinition,
  signInSettingsInput,
  subscriptionDefinition,
  supportSettingsDefinition,
  teammateDefinition,
  webhookDefinition,
} from '@switchboard/contracts';
import { z } from 'zod';
import { nameOf } from '../terminal/terminal.ts';
import { ManifestError, readYaml } from './yaml.ts';

const ofSupport = supportSettingsDefinition.shape;

/** Settings that are absent, and entries of lists that are not named, keep their state. */
const support = z.strictObject({
  teams: z.array(ofSupport.teams.element.required({ id: true }).strict()).default([]),
  labels: z.array(ofSupport.labels.element.required({ id: true }).strict()).default([]),
  savedReplies: z.array(ofSupport.savedReplies.element.required({ id: true }).strict()).default([]),
  views: z.array(ofSupport.views.element.required({ id: true }).strict()).default([]),
  keepAssigneeDays: ofSupport.keepAssigneeDays.optional(),
  mailAfterMinutes: ofSupport.mailAfterMinutes.unwrap().optional(),
  mailOpensConversations: ofSupport.mailOpensConversations.unwrap().optional(),
  asksSatisfaction: ofSupport.asksSatisfaction.unwrap().optional(),
});

const project = projectDefinition.omit({ companyId: true }).extend({
  id,
  reports: z.array(reportDefinition.extend({ id }).strict()).default([]),
  dashboards: z.array(dashboardDefinition.extend({ id }).strict()).default([]),
  cohorts: z.array(z.strictObject({ id, ...cohortDefinition.shape })).default([]),
  flags: z.array(flagEntry.strict().check(checkFlag)).default([]),
  dictionary: z.array(dictionaryEntry.strict()).default([]),
  alerts: z.array(alertDefinition.safeExtend({ id }).strict()).default([]),
  subscriptions: z.array(subscriptionDefinition.omit({ channels: true }).extend({ id }).strict()).default([]),
  webhooks: z.array(webhookDefinition.safeExtend({ id }).strict()).default([]),
  team: z.array(teammateDefinition.extend({ id }).strict()).default([]),
  /** Without `team`, the messenger shows the project's team with its pictures. */
  messenger: messengerSettings
    .extend({ team: messengerSettings.shape.team.unwrap().optional() })
    .strict()
    .optional(),
  articleSearch: articleSearch.optional(),
  support: support.optional(),
});

const ofSignIn = signInSettingsInput.shape;

/** How people of a company sign in. The secret of the provider is in a variable of the environment. */
const signIn = z.strictObject({
  provider: ofSignIn.provider
    .unwrap()
    .omit({ clientSecret: true })
    .extend({ clientSecretVariable: z.string().max(100).optional() })
    .strict()
    .nullable()
    .default(null),
  groupRoles: ofSignIn.groupRoles,
  domains: z.array(companyDomainName).default([]),
});

const company = companyDefinition.extend({
  id,
  signIn: signIn.optional(),
  members: z
    .array(memberDefinition.omit({ pushSubscriptions: true }).extend({ sub: id }).strict())
    .default([]),
  projects: z.array(project.strict()).default([]),
});

/**
 * A manifest: plans, AI models, and companies with their members and projects. Each part is the request body of the
 * management API plus the identifiers of its path. A manifest contains no secrets.
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

/** Parses a manifest from YAML (or JSON). `place` is its path or URL, for messages. Throws ManifestError. */
export function parseManifest(source: string, place = 'manifest'): Manifest {
  const parsed = readYaml(source, place).parse(manifest);
  const duplicate = findDuplicate(parsed);
  if (duplicate !== undefined)
    throw new ManifestError(`${nameOf(place)}: ${duplicate}: defined more than once`);
  return parsed;
}

/** Returns the first resource that is defined more than once. */
function findDuplicate({ plans, ai, companies }: Manifest): string | undefined {
  const projects = companies.flatMap((one) => one.projects);
  const names = [
    ...plans.map(({ tier, cycle }) => `plan ${tier} ${cycle}`),
    ...ai.models.map((one) => `model ${one.id}`),
    ...companies.map((one) => `company ${one.id}`),
    ...companies.flatMap((one) => one.members.map(({ sub }) => `member ${one.id} ${sub}`)),
    ...companies.flatMap((one) => (one.signIn?.domains ?? []).map((name) => `domain ${one.id} ${name}`)),
    ...projects.map((one) => `project ${one.id}`),
    ...projects.flatMap((one) => [
      ...one.reports.map((of) => `report ${one.id} ${of.id}`),
      ...one.dashboards.map((of) => `dashboard ${one.id} ${of.id}`),
      ...one.cohorts.map((of) => `cohort ${one.id} ${of.id}`),
      ...one.flags.map((of) => `flag ${one.id} ${of.key}`),
      ...one.dictionary.map((of) => `definition ${one.id} ${of.kind} ${of.name}`),
      ...one.alerts.map((of) => `alert ${one.id} ${of.id}`),
      ...one.subscriptions.map((of) => `subscription ${one.id} ${of.id}`),
      ...one.webhooks.map((of) => `webhook ${one.id} ${of.id}`),
      ...one.team.map((of) => `teammate ${one.id} ${of.id}`),
      ...(['teams', 'labels', 'savedReplies', 'views'] as const).flatMap((list) =>
        (one.support?.[list] ?? []).map((of) => `support ${one.id} ${list} ${of.id}`),
      ),
    ]),
  ];
  return names.find((name, index) => names.indexOf(name) !== index);
}
