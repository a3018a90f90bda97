import { inParallel } from '../in-parallel.ts';
import { listObjects } from '../listing.ts';
import { isNotThere, type ManagementClient, ManagementError } from '../management-client.ts';
import { differencesOf } from './compare.ts';
import { type Kind, kinds } from './kinds.ts';
import { type Manifest, manifest } from './manifest.ts';
import { teamOf } from './team.ts';

interface ExportOptions {
  client: ManagementClient;
  /** This company alone, without plans and models; everything when absent. */
  companyId?: string;
  /** Told what is left out and why. */
  onOmitted?: (what: string) => void;
}

type Read = Record<string, unknown>;

const LANES = 8;

/**
 * What a deployment holds, as a manifest that would make it again. Without what is nobody's to copy: project
 * keys, identity secrets, people's push subscriptions, conversations and runs of reports.
 */
export async function exportManifest({ client, companyId, onOmitted }: ExportOptions): Promise<Manifest> {
  const companies =
    companyId === undefined ? await list(kinds.company) : [await one(kinds.company, { companyId })];
  const shared =
    companyId === undefined
      ? {
          plans: await list(kinds.plan),
          ai: { ...(await one(kinds.markup, {})), models: await list(kinds.model) },
        }
      : {};
  return manifest.parse({ ...shared, companies: await inParallel(companies, 2, wholeCompany) });

  function list({ list: of }: Kind, params?: Record<string, string>): Promise<Read[]> {
    return of === undefined ? Promise.resolve([]) : listObjects(client, of, params);
  }

  async function one({ get }: Kind, params: Record<string, string>): Promise<Read> {
    const read = get === undefined ? {} : await client.call(get, { params });
    return { ...(typeof read === 'object' ? read : {}) };
  }

  async function wholeCompany(company: Read): Promise<Read> {
    const params = { companyId: String(company['id']) };
    const members = await list(kinds.member, params);
    const projects = await list(kinds.project, params);
    return {
      ...company,
      members: members.map(({ pushSubscriptions: _, ...member }) => member),
      projects: await inParallel(projects, LANES, wholeProject),
    };
  }

  async function wholeProject({ companyId: _, ...project }: Read): Promise<Read> {
    const params = { projectId: String(project['id']) };
    const reports = await list(kinds.report, params);
    const regional = await ofRegion(`project ${params.projectId}`, async () => {
      const cohorts = await list(kinds.cohort, params);
      const team = await list(kinds.teammate, params);
      return {
        cohorts: await inParallel(cohorts, LANES, ({ id }) =>
          one(kinds.cohort, { ...params, cohortId: String(id) }),
        ),
        flags: await list(kinds.flag, params),
        team: team.map(({ avatarUrl: __, ...teammate }) => teammate),
        ...(await messengerOf(params)),
      };
    });
    return {
      ...project,
      reports: reports.map(({ projectId: __, ...report }) => report),
      ...regional,
    };
  }

  async function messengerOf(params: Record<string, string>) {
    try {
      const { team, ...messenger } = await one(kinds.messenger, params);
      // The paths of pictures hold in this deployment alone; the project's own team finds its pictures again.
      const isOwn = differencesOf(team, await teamOf(client, params)).length === 0;
      return { messenger: isOwn ? messenger : { ...messenger, team } };
    } catch (error) {
      if (isNotThere(error)) return {};
      throw error;
    }
  }

  /** Flags and messenger keep a project where its region is. */
  async function ofRegion(what: string, read: () => Promise<Read>): Promise<Read> {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof ManagementError) || !/belongs to region/.test(error.message)) throw error;
      onOmitted?.(`cohorts, flags, team and messenger of ${what}, which are in another region`);
      return {};
    }
  }
}
