import type { ListId, OperationId } from '@switchboard/management';
import { isRecord } from './compare.ts';

type Definition = Record<string, unknown>;

/** A kind of resource of the management API. */
export interface Kind {
  name: string;
  /** The plural name. */
  plural: string;
  /**
   * The path parameters that identify a resource, in command-line order. The last identifies it within the others.
   */
  ids: readonly string[];
  get?: OperationId;
  put?: OperationId;
  remove?: OperationId;
  /** Lists the resources of one parent. */
  list?: { operation: ListId; ids: readonly string[] };
  /** Properties that are read but not written. */
  readOnly: readonly string[];
  /** Fills in defaults, so that an omitted default is not a difference. */
  complete?(definition: Definition): Definition;
  /** The resources that are deleted with it. */
  cascade?: string;
}

const ofProject = (id: string) => ['projectId', id] as const;
const listedBy = (operation: ListId, ...ids: string[]) => ({ operation, ids });

const plan = {
  name: 'plan',
  plural: 'plans',
  ids: ['tier', 'cycle'],
  get: 'getPlan',
  put: 'putPlan',
  remove: 'deletePlan',
  list: listedBy('listManagedPlans'),
  readOnly: ['tier', 'cycle'],
} satisfies Kind;

const model = {
  name: 'model',
  plural: 'models',
  ids: ['id'],
  get: 'getAiModel',
  put: 'putAiModel',
  remove: 'deleteAiModel',
  list: listedBy('listManagedAiModels'),
  readOnly: ['id'],
} satisfies Kind;

const markup = {
  name: 'markup',
  plural: 'markup',
  ids: [],
  get: 'getAiMarkup',
  put: 'putAiMarkup',
  readOnly: [],
} satisfies Kind;

const company = {
  name: 'company',
  plural: 'companies',
  ids: ['companyId'],
  get: 'getCompany',
  put: 'putCompany',
  remove: 'deleteCompany',
  list: listedBy('listCompanies'),
  readOnly: ['id'],
  complete: (definition) => ({ entitlements: {}, ...definition }),
  cascade: 'its members, its projects, and their keys and reports',
} satisfies Kind;

const member = {
  name: 'member',
  plural: 'members',
  ids: ['companyId', 'sub'],
  get: 'getMember',
  put: 'putMember',
  remove: 'deleteMember',
  list: listedBy('listMembers', 'companyId'),
  // Users subscribe their own devices, so a manifest does not list them.
  readOnly: ['sub', 'pushSubscriptions'],
  complete: (definition) => ({ role: 'viewer', avatarUrl: null, ...definition }),
} satisfies Kind;

const project = {
  name: 'project',
  plural: 'projects',
  ids: ['projectId'],
  get: 'getProject',
  put: 'putProject',
  remove: 'deleteProject',
  list: listedBy('listProjects', 'companyId'),
  readOnly: ['id'],
  cascade: 'its keys and reports; data of other services for it becomes unreachable',
} satisfies Kind;

const report = {
  name: 'report',
  plural: 'reports',
  ids: ofProject('reportId'),
  get: 'getReport',
  put: 'putReport',
  remove: 'deleteReport',
  list: listedBy('listReports', 'projectId'),
  readOnly: ['id', 'projectId'],
  complete: (definition) => ({
    description: null,
    publicAnnotations: false,
    query: null,
    refresh: null,
    ...definition,
  }),
} satisfies Kind;

const dashboard = {
  name: 'dashboard',
  plural: 'dashboards',
  ids: ofProject('dashboardId'),
  get: 'getDashboard',
  put: 'putDashboard',
  remove: 'deleteDashboard',
  list: listedBy('listDashboards', 'projectId'),
  readOnly: ['id', 'projectId', 'ownerSub', 'version', 'updatedAt'],
  complete: (definition) => ({ description: null, tiles: [], range: null, where: [], ...definition }),
} satisfies Kind;

const cohort = {
  name: 'cohort',
  plural: 'cohorts',
  ids: ofProject('cohortId'),
  get: 'getCohort',
  put: 'putCohort',
  remove: 'deleteCohort',
  list: listedBy('listCohorts', 'projectId'),
  readOnly: ['id', 'list'],
  complete: ({ distinctIds, ...definition }) => ({
    ...definition,
    distinctIds: Array.isArray(distinctIds) ? [...new Set(distinctIds)].sort() : [],
  }),
} satisfies Kind;

const flag = {
  name: 'flag',
  plural: 'flags',
  ids: ofProject('key'),
  get: 'getFlag',
  put: 'putFlag',
  remove: 'deleteFlag',
  list: listedBy('listFlags', 'projectId'),
  readOnly: ['key'],
  complete: ({ description, ...definition }) =>
    description == null ? definition : { ...definition, description },
} satisfies Kind;

const definition = {
  name: 'definition',
  plural: 'dictionary',
  ids: ['projectId', 'kind', 'name'],
  get: 'getDictionaryEntry',
  put: 'putDictionaryEntry',
  remove: 'deleteDictionaryEntry',
  list: listedBy('listDictionary', 'projectId'),
  readOnly: ['kind', 'name'],
  complete: (written) => ({ description: '', owner: null, hidden: false, verified: false, ...written }),
} satisfies Kind;

const alert = {
  name: 'alert',
  plural: 'alerts',
  ids: ofProject('alertId'),
  get: 'getAlert',
  put: 'putAlert',
  remove: 'deleteAlert',
  list: listedBy('listAlerts', 'projectId'),
  readOnly: [
    ...['id', 'state', 'evaluatedBucket', 'value', 'error', 'snoozedUntil'],
    ...['createdAt', 'updatedAt', 'incidents'],
  ],
  complete: (written) => ({ enabled: true, ...written }),
  cascade: 'its incidents',
} satisfies Kind;

const subscription = {
  name: 'subscription',
  plural: 'subscriptions',
  ids: ofProject('subscriptionId'),
  get: 'getSubscription',
  put: 'putSubscription',
  remove: 'deleteSubscription',
  list: listedBy('listSubscriptions', 'projectId'),
  readOnly: [
    ...['id', 'pausedReason', 'nextAt', 'isSending', 'lastSentAt', 'failure', 'unopened'],
    // The URLs of channels are secrets. They stay as they are.
    ...['channels', 'createdBySub', 'createdAt', 'updatedAt'],
  ],
  // Whether a member has unsubscribed is read with each recipient.
  complete: ({ recipients, ...definition }) => ({
    enabled: true,
    ...definition,
    recipients: (Array.isArray(recipients) ? recipients : [])
      .map((one) => (isRecord(one) ? one['sub'] : one))
      .sort(),
  }),
} satisfies Kind;

const webhook = {
  name: 'webhook',
  plural: 'webhooks',
  ids: ofProject('webhookId'),
  get: 'getWebhook',
  put: 'putWebhook',
  remove: 'deleteWebhook',
  list: listedBy('listWebhooks', 'projectId'),
  readOnly: [
    ...['id', 'watched', 'disabledReason', 'failingSince', 'waiting', 'discarded'],
    ...['previousSecretUntil', 'createdAt', 'updatedAt'],
  ],
  complete: (written) => ({
    description: '',
    format: 'standard',
    events: [],
    cohorts: [],
    enabled: true,
    ordered: false,
    ...written,
  }),
  cascade: 'its messages',
} satisfies Kind;

const teammate = {
  name: 'teammate',
  plural: 'team',
  ids: ofProject('userId'),
  get: 'getTeammate',
  put: 'putTeammate',
  list: listedBy('listTeammates', 'projectId'),
  readOnly: ['id', 'avatarUrl'],
} satisfies Kind;

const messenger = {
  name: 'messenger',
  plural: 'messenger',
  ids: ['projectId'],
  get: 'getMessengerSettings',
  put: 'putMessengerSettings',
  readOnly: [],
} satisfies Kind;

const articleSearch = {
  name: 'article-search',
  plural: 'article-search',
  ids: ['projectId'],
  get: 'getManagedArticleSearch',
  put: 'putManagedArticleSearch',
  readOnly: [],
} satisfies Kind;

const support = {
  name: 'support',
  plural: 'support',
  ids: ['projectId'],
  get: 'getSupportSettings',
  put: 'putSupportSettings',
  // The address of incoming mail contains a secret.
  readOnly: ['version', 'mailAddress'],
} satisfies Kind;

const signIn = {
  name: 'sign-in',
  plural: 'sign-in',
  ids: ['companyId'],
  get: 'getSignInSettings',
  put: 'putSignInSettings',
  readOnly: ['scimUrl', 'callbackUrl'],
  // The service lists groups by name, in lower case.
  complete: ({ groupRoles, ...definition }) => ({
    ...definition,
    groupRoles: (Array.isArray(groupRoles) ? groupRoles : [])
      .map(({ group, role }) => [String(group).toLowerCase(), role])
      .sort(),
  }),
} satisfies Kind;

const domain = {
  name: 'domain',
  plural: 'domains',
  ids: ['companyId', 'domain'],
  get: 'getCompanyDomain',
  put: 'putCompanyDomain',
  remove: 'deleteCompanyDomain',
  list: listedBy('listCompanyDomains', 'companyId'),
  readOnly: ['domain', 'record', 'verifiedAt'],
} satisfies Kind;

const key = {
  name: 'key',
  plural: 'keys',
  ids: ofProject('key'),
  remove: 'revokeProjectKey',
  list: listedBy('listProjectKeys', 'projectId'),
  readOnly: [],
} satisfies Kind;

const identitySecret = {
  name: 'identity-secret',
  plural: 'identity-secrets',
  ids: ofProject('id'),
  remove: 'deleteIdentitySecret',
  list: listedBy('listIdentitySecrets', 'projectId'),
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
  dashboard,
  cohort,
  flag,
  definition,
  alert,
  subscription,
  webhook,
  teammate,
  messenger,
  articleSearch,
  support,
  signIn,
  domain,
  key,
  identitySecret,
} satisfies Record<string, Kind>;

/** Finds a kind by singular or plural name. */
export function findKind(name: string): Kind | undefined {
  return Object.values(kinds).find((kind) => kind.name === name || kind.plural === name);
}

/** Converts a resource that was read to the form in which it is written. */
export function definitionOf({ readOnly, complete }: Kind, read: Definition): Definition {
  const written = Object.fromEntries(Object.entries(read).filter(([name]) => !readOnly.includes(name)));
  return complete?.(written) ?? written;
}
