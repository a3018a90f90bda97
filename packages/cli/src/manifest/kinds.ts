import type { Operation } from '@switchboard/contracts';
import * as contracts from '@switchboard/contracts';

type Definition = Record<string, unknown>;

/** A kind of resource of the management API. */
export interface Kind {
  name: string;
  /** Plural name. */
  plural: string;
  /** Path parameters that identify one, in command-line order; the last identifies it within the others. */
  ids: readonly string[];
  get?: Operation;
  put?: Operation;
  remove?: Operation;
  /** Lists the resources of one parent. */
  list?: { operation: Operation; ids: readonly string[] };
  /** Properties that are read but not written. */
  readOnly: readonly string[];
  /** Fills in defaults, so that an omitted default is not a difference. */
  complete?(definition: Definition): Definition;
  /** What is deleted with it. */
  cascade?: string;
}

const ofProject = (id: string) => ['projectId', id] as const;
const listedBy = (operation: Operation, ...ids: string[]) => ({ operation, ids });

const plan = {
  name: 'plan',
  plural: 'plans',
  ids: ['tier', 'cycle'],
  get: contracts.getPlan,
  put: contracts.putPlan,
  remove: contracts.deletePlan,
  list: listedBy(contracts.listManagedPlans),
  readOnly: ['tier', 'cycle'],
} satisfies Kind;

const model = {
  name: 'model',
  plural: 'models',
  ids: ['id'],
  get: contracts.getAiModel,
  put: contracts.putAiModel,
  remove: contracts.deleteAiModel,
  list: listedBy(contracts.listManagedAiModels),
  readOnly: ['id'],
} satisfies Kind;

const markup = {
  name: 'markup',
  plural: 'markup',
  ids: [],
  get: contracts.getAiMarkup,
  put: contracts.putAiMarkup,
  readOnly: [],
} satisfies Kind;

const company = {
  name: 'company',
  plural: 'companies',
  ids: ['companyId'],
  get: contracts.getCompany,
  put: contracts.putCompany,
  remove: contracts.deleteCompany,
  list: listedBy(contracts.listCompanies),
  readOnly: ['id'],
  complete: (definition) => ({ entitlements: {}, ...definition }),
  cascade: 'its members, its projects, and their keys and reports',
} satisfies Kind;

const member = {
  name: 'member',
  plural: 'members',
  ids: ['companyId', 'sub'],
  get: contracts.getMember,
  put: contracts.putMember,
  remove: contracts.deleteMember,
  list: listedBy(contracts.listMembers, 'companyId'),
  readOnly: ['sub'],
  complete: (definition) => ({ role: 'viewer', avatarUrl: null, pushSubscriptions: [], ...definition }),
} satisfies Kind;

const project = {
  name: 'project',
  plural: 'projects',
  ids: ['projectId'],
  get: contracts.getProject,
  put: contracts.putProject,
  remove: contracts.deleteProject,
  list: listedBy(contracts.listProjects, 'companyId'),
  readOnly: ['id'],
  cascade: 'its keys and reports; data of other services for it becomes unreachable',
} satisfies Kind;

const report = {
  name: 'report',
  plural: 'reports',
  ids: ofProject('reportId'),
  get: contracts.getReport,
  put: contracts.putReport,
  remove: contracts.deleteReport,
  list: listedBy(contracts.listReports, 'projectId'),
  readOnly: ['id', 'projectId'],
  complete: (definition) => ({ publicAnnotations: false, query: null, refresh: null, ...definition }),
} satisfies Kind;

const cohort = {
  name: 'cohort',
  plural: 'cohorts',
  ids: ofProject('cohortId'),
  get: contracts.getCohort,
  put: contracts.putCohort,
  remove: contracts.deleteCohort,
  list: listedBy(contracts.listCohorts, 'projectId'),
  readOnly: ['id'],
  complete: ({ distinctIds, ...definition }) => ({
    ...definition,
    distinctIds: Array.isArray(distinctIds) ? [...new Set(distinctIds)].sort() : [],
  }),
} satisfies Kind;

const flag = {
  name: 'flag',
  plural: 'flags',
  ids: ofProject('key'),
  get: contracts.getFlag,
  put: contracts.putFlag,
  remove: contracts.deleteFlag,
  list: listedBy(contracts.listFlags, 'projectId'),
  readOnly: ['key'],
  complete: ({ description, ...definition }) =>
    description == null ? definition : { ...definition, description },
} satisfies Kind;

const teammate = {
  name: 'teammate',
  plural: 'team',
  ids: ofProject('userId'),
  get: contracts.getTeammate,
  put: contracts.putTeammate,
  list: listedBy(contracts.listTeammates, 'projectId'),
  readOnly: ['id', 'avatarUrl'],
} satisfies Kind;

const messenger = {
  name: 'messenger',
  plural: 'messenger',
  ids: ['projectId'],
  get: contracts.getMessengerSettings,
  put: contracts.putMessengerSettings,
  readOnly: [],
} satisfies Kind;

const key = {
  name: 'key',
  plural: 'keys',
  ids: ofProject('key'),
  remove: contracts.revokeProjectKey,
  list: listedBy(contracts.listProjectKeys, 'projectId'),
  readOnly: [],
} satisfies Kind;

const identitySecret = {
  name: 'identity-secret',
  plural: 'identity-secrets',
  ids: ofProject('id'),
  remove: contracts.deleteIdentitySecret,
  list: listedBy(contracts.listIdentitySecrets, 'projectId'),
  readOnly: [],
} satisfies Kind;

export const kinds = {
  plan,
  model,
  markup,
  company,
  member,
  project,
  report,
  cohort,
  flag,
  teammate,
  messenger,
  key,
  identitySecret,
} satisfies Record<string, Kind>;

/** Finds a kind by singular or plural name. */
export function findKind(name: string): Kind | undefined {
  return Object.values(kinds).find((kind) => kind.name === name || kind.plural === name);
}

/** A resource as read, in the form in which it is written. */
export function definitionOf({ readOnly, complete }: Kind, read: Definition): Definition {
  const written = Object.fromEntries(Object.entries(read).filter(([name]) => !readOnly.includes(name)));
  return complete?.(written) ?? written;
}
