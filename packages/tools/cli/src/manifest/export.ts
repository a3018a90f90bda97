import { type Client, isNotFound, ManagementError } from '@switchboard/management';
import pMap from 'p-map';
import { listObjects } from '../list-all.ts';
import { differencesOf } from './compare.ts';
import { definitionOf, type Kind, kinds } from './kinds.ts';
import { type Manifest, manifest } from './manifest.ts';
import { teamOf } from './team.ts';

interface ExportOptions {
  client: Client;
  /** The company to export, without plans and models. If absent, everything is exported. */
  companyId?: string;
  /** Called with each omission and its reason. */
  onOmitted?: (what: string) => void;
}

type Read = Record<string, unknown>;

const MAX_CALLS_IN_FLIGHT = 8;
const MAX_COMPANIES_IN_FLIGHT = 2;

/**
 * Exports a deployment as a manifest that recreates it. Omits project keys, secrets, push subscriptions, conversations
 * and report runs.
 */
export async function exportManifest({ client, companyId, onOmitted }: ExportOptions): Promise<Manifest> {
  const withoutService = new Set<string>();
  const companies =
    companyId === undefined ? await list(kinds.company) : [await one(kinds.company, { companyId })];
  const shared =
    companyId === undefined
      ? {
          plans: await list(kinds.plan),
          ai: { ...(await one(kinds.markup, {})), models: await list(kinds.model) },
        }
      : {};
  return manifest.parse({
    ...shared,
    companies: await pMap(companies, wholeCompany, { concurrency: MAX_COMPANIES_IN_FLIGHT }),
  });

  function list({ list: of }: Kind, params?: Record<string, string>): Promise<Read[]> {
    return of === undefined ? Promise.resolve([]) : listObjects(client, of, params);
  }

  async function one({ get }: Kind, params: Record<string, string>): Promise<Read> {
    const read = get === undefined ? {} : await client.untyped.call(get, { params });
    return { ...(typeof read === 'object' ? read : {}) };
  }

  async function wholeCompany(company: Read): Promise<Read> {
    const params = { companyId: String(company['id']) };
    const members = await list(kinds.member, params);
    const projects = await list(kinds.project, params);
    return {
      ...company,
      ...(await signInOf(params)),
      members: members.map(({ pushSubscriptions: _, ...member }) => member),
      projects: await pMap(projects, wholeProject, { concurrency: MAX_CALLS_IN_FLIGHT }),
    };
  }

  async function wholeProject({ companyId: _, ...project }: Read): Promise<Read> {
    const params = { projectId: String(project['id']) };
    const reports = await list(kinds.report, params);
    const regional = await ofRegion(`project ${params.projectId}`, async () => {
      const cohorts = await list(kinds.cohort, params);
      const team = await list(kinds.teammate, params);
      const dashboards = await list(kinds.dashboard, params);
      const alerts = await list(kinds.alert, params);
      const subscriptions = await list(kinds.subscription, params);
      return {
        dashboards: dashboards.map((one) => ({ id: one['id'], ...definitionOf(kinds.dashboard, one) })),
        cohorts: await pMap(cohorts, ({ id }) => wholeCohort({ ...params, cohortId: String(id) }), {
          concurrency: MAX_CALLS_IN_FLIGHT,
        }),
        flags: await list(kinds.flag, params),
        dictionary: await list(kinds.definition, params),
        alerts: alerts.map((one) => ({ id: one['id'], ...definitionOf(kinds.alert, one) })),
        subscriptions: subscriptions.map((one) => ({
          id: one['id'],
          ...definitionOf(kinds.subscription, one),
        })),
        webhooks: await webhooksOf(params),
        team: team.map(({ avatarUrl: __, ...teammate }) => teammate),
        ...(await messengerOf(params)),
        ...(await articleSearchOf(params)),
        ...(await supportOf(params)),
      };
    });
    return {
      ...project,
      reports: reports.map(({ projectId: __, ...report }) => report),
      ...regional,
    };
  }

  async function wholeCohort(params: { projectId: string; cohortId: string }): Promise<Read> {
    const { list: _, ...cohort } = await one(kinds.cohort, params);
    return cohort;
  }

  /** Returns undefined in a deployment without this service. */
  async function ofOptional<T>(
    service: string,
    what: string,
    read: () => Promise<T>,
  ): Promise<T | undefined> {
    if (withoutService.has(service)) return undefined;
    try {
      return await read();
    } catch (error) {
      const status = error instanceof ManagementError ? error.status : undefined;
      if (status === 400 || status === 401 || status === 403) throw error;
      withoutService.add(service);
      onOmitted?.(`${what}, because the service ${service} does not answer`);
      return undefined;
    }
  }

  async function webhooksOf(params: { projectId: string }): Promise<Read[]> {
    const found = (await ofOptional('delivery', 'webhooks', () => list(kinds.webhook, params))) ?? [];
    return found.map((one) => ({ id: one['id'], ...definitionOf(kinds.webhook, one) }));
  }

  async function signInOf(params: { companyId: string }): Promise<Read> {
    const found = await ofOptional('identity', 'sign-in', async () => ({
      settings: await one(kinds.signIn, params),
      domains: await list(kinds.domain, params),
    })).catch((error: unknown) => {
      if (!(error instanceof ManagementError) || error.status !== 403) throw error;
      onOmitted?.(`sign-in of company ${params.companyId}, which needs the permission signIn.write`);
      return undefined;
    });
    if (found === undefined) return {};
    const { provider, groupRoles } = found.settings;
    const domains = found.domains.map((domain) => domain['domain']);
    const isSet =
      provider !== null || domains.length > 0 || (Array.isArray(groupRoles) && groupRoles.length > 0);
    return isSet ? { signIn: { provider, groupRoles, domains } } : {};
  }

  async function messengerOf(params: { projectId: string }) {
    try {
      const { team, ...messenger } = await one(kinds.messenger, params);
      // Avatar paths are valid in this deployment only. The project's own team keeps its pictures on apply.
      const isOwn = differencesOf(team, await teamOf(client, params.projectId)).length === 0;
      return { messenger: isOwn ? messenger : { ...messenger, team } };
    } catch (error) {
      if (isNotFound(error)) return {};
      throw error;
    }
  }

  async function articleSearchOf(params: { projectId: string }) {
    const articleSearch = await one(kinds.articleSearch, params);
    return articleSearch['on'] === true ? { articleSearch } : {};
  }

  async function supportOf(params: { projectId: string }) {
    const support = await one(kinds.support, params);
    return support['version'] === 0 ? {} : { support: definitionOf(kinds.support, support) };
  }

  /** Reads data of a project that collaboration, flags and messenger store in the project's region only. */
  async function ofRegion(what: string, read: () => Promise<Read>): Promise<Read> {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof ManagementError) || !/belongs to region/.test(error.message)) throw error;
      onOmitted?.(
        `dashboards, cohorts, flags, dictionary, alerts, subscriptions, webhooks, team, messenger, article search and support of ${what}, which are in another region`,
      );
      return {};
    }
  }
}
