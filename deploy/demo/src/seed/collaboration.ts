import { readdir, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { createClient } from '@switchboard/management';
import { expiryOfLinks, PROPAGATION_MS } from './request.ts';

interface SeedCollaborationOptions {
  managementUrl: string;
  apiUrl: string;
  projectId: string;
  /** The report with the public link and the comment thread. */
  reportId: string;
  tokens: { operator: string; owner: string; teammate: string };
}

const REPORTS = new URL('reports/', import.meta.url);

const ANNOTATIONS = [
  {
    startsOn: '2026-10-26',
    endsOn: '2026-10-29',
    text: 'Autumn campaign: 20% off tents',
    tags: ['campaign'],
  },
  { startsOn: '2026-11-03', text: 'Checkout in one page', tags: ['release'] },
];

/**
 * Seeds collaboration through its API: runs of every kind of report, annotations, a comment thread and a public
 * link. Returns the address of the link.
 */
export async function seedCollaboration(options: SeedCollaborationOptions): Promise<string> {
  const { managementUrl, apiUrl, projectId, reportId, tokens } = options;
  const as = (token: string, url: string) => createClient({ token, url, retryForMs: PROPAGATION_MS });
  const operator = as(tokens.operator, managementUrl);
  const owner = as(tokens.owner, apiUrl);
  const teammate = as(tokens.teammate, apiUrl);
  const params = { projectId, reportId };

  for (const file of await readdir(REPORTS)) {
    const body: unknown = JSON.parse(await readFile(new URL(file, REPORTS), 'utf8'));
    const run = { projectId, reportId: basename(file, '.json') };
    await operator.untyped.call('recordReportRun', { params: run, body });
  }
  for (const body of ANNOTATIONS) await owner.call('createAnnotation', { params: { projectId }, body });

  const thread = await owner.call('startThread', {
    params,
    body: {
      body: 'Sign-ups on the growth plan doubled with the campaign. Do they stay?',
      mentions: ['user_tomas'],
    },
  });
  await teammate.call('replyToThread', {
    params: { projectId, threadId: thread.id },
    body: { body: 'Retention of those weeks looks like any other. I will look again in a month.' },
  });
  const commentId = thread.comments[0]?.id ?? '';
  await teammate.call('addReaction', { params: { projectId, commentId, emoji: '🎯' } });

  const expiresOn = expiryOfLinks();
  return (await owner.call('putPublicLink', { params, body: { expiresOn } })).url;
}
