import type { Entitlements } from '@switchboard/directory';
import type { DirectoryPublisher } from '@switchboard/directory/testing';
import { eventually, type Harness } from '@switchboard/testkit';
import type { RequestOptions } from './request.ts';

/** A project in a separate company. */
export interface TestProject {
  id: string;
  companyId: string;
  key: string;
  /** The access token of a member of the company. */
  member: string;
}

interface ProjectSettings {
  region?: string;
  defaultLanguage?: string;
  allowedOrigins?: string[];
  entitlements?: Entitlements;
}

interface ProjectsOptions {
  directory: DirectoryPublisher;
  mint: Harness['mint'];
  call(method: string, path: string, options: RequestOptions): Promise<{ status: number }>;
}

let members = 0;

export function createProjects({ directory, mint, call }: ProjectsOptions) {
  return {
    /** Publishes a project and waits until the service has applied it. */
    async createProject(settings: ProjectSettings = {}): Promise<TestProject> {
      const sub = `member-${++members}`;
      const { id, companyId, key } = await directory.putProject({ ...settings, members: [sub] });
      await eventually(async () => {
        const { status } = await call('GET', '/v1/messages?distinct_id=test', { token: key });
        if (status === 401) throw new Error('the project key is not applied yet');
      });
      return { id, companyId, key, member: await mint({ sub }) };
    },

    setEntitlements: ({ companyId }: TestProject, entitlements: Entitlements) =>
      directory.putEntitlements(companyId, entitlements),

    /** Publishes the project with another list of origins. */
    setOrigins: ({ id, companyId }: TestProject, allowedOrigins: string[]) =>
      directory.put('project', {
        id,
        companyId,
        name: id,
        region: 'eu',
        defaultLanguage: 'en',
        allowedOrigins,
      }),

    removeKey: ({ key }: TestProject) => directory.remove('key', key),
  };
}
