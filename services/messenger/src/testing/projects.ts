import {
  type DirectoryRecord,
  directoryRecord,
  directoryTombstone,
  directoryTopic,
  outgoingRecord,
} from '@switchboard/directory';
import type { EventLog } from '@switchboard/event-log';
import { type AccessTokens, eventually } from '@switchboard/testkit';

/** A project of a test's own, in a company of its own. */
export interface TestProject {
  id: string;
  companyId: string;
  key: string;
  /** Access token of a member of the company. */
  member: string;
}

interface ProjectFacts {
  region?: string;
  defaultLanguage?: string;
  entitlements?: Record<string, unknown>;
}

interface ProjectsOptions {
  log: EventLog;
  tokens: AccessTokens;
  manage(method: string, path: string): Promise<{ status: number }>;
}

let made = 0;
let revision = 0n;

/** What catalogue publishes of companies and projects. */
export function createProjects({ log, tokens, manage }: ProjectsOptions) {
  async function publish(...records: DirectoryRecord[]): Promise<void> {
    for (const record of records) {
      // Into one partition, so that what comes last is applied last.
      await log.publish(directoryTopic, [outgoingRecord(record, ++revision, 1)]);
    }
  }

  const company = (id: string, entitlements: Record<string, unknown>) =>
    directoryRecord('company', { id, name: id, plan: { tier: 'pro', cycle: 'monthly' }, entitlements });

  return {
    async createProject({ region = 'eu', defaultLanguage = 'en', entitlements = {} }: ProjectFacts = {}) {
      made += 1;
      const id = `project-${made}`;
      const companyId = `company-${made}`;
      const key = `pk_${region}_${String(made).padStart(32, 'k')}`;
      const sub = `member-${made}`;
      await publish(
        directoryRecord('plan', { tier: 'pro', cycle: 'monthly', entitlements: {} }),
        company(companyId, entitlements),
        directoryRecord('member', {
          ...{ companyId, sub, name: sub, email: `${sub}@example.com` },
          ...{ avatarUrl: null, pushSubscriptions: [] },
        }),
        directoryRecord('key', { key, projectId: id }),
        directoryRecord('project', { id, companyId, name: id, region, defaultLanguage }),
      );
      const project: TestProject = { id, companyId, key, member: await tokens.mint({ sub }) };
      await eventually(async () => {
        const { status } = await manage('GET', `/projects/${id}/conversations`);
        if (status !== 200 && status !== 403) throw new Error('the project is not applied yet');
      });
      return project;
    },

    setEntitlements: ({ companyId }: TestProject, entitlements: Record<string, unknown>) =>
      publish(company(companyId, entitlements)),

    removeKey: ({ key }: TestProject) => publish(directoryTombstone('key', key)),
  };
}
