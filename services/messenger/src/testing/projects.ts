import type { Database } from '@switchboard/database';
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
  /** Of the service, to see what of the directory it has. */
  sql: Database['sql'];
}

let made = 0;
let revision = 0n;

/** What catalogue publishes of companies and projects. */
export function createProjects({ log, tokens, sql }: ProjectsOptions) {
  async function publish(...records: DirectoryRecord[]): Promise<void> {
    for (const record of records) {
      await log.publish(directoryTopic, [outgoingRecord(record, ++revision, 4)]);
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
        const rows = await sql`
          select 1 from directory.entries
          where (kind, id) in (('company', ${companyId}), ('project', ${id}), ('key', ${key}))
            or (kind = 'member' and id = ${`${companyId}/${sub}`})`;
        if (rows.length < 4) throw new Error('the project is not applied yet');
      });
      return project;
    },

    setEntitlements: ({ companyId }: TestProject, entitlements: Record<string, unknown>) =>
      publish(company(companyId, entitlements)),

    removeKey: ({ key }: TestProject) => publish(directoryTombstone('key', key)),
  };
}
