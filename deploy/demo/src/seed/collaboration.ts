import { readdir, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { createManagementClient } from '@switchboard/cli';
import {
  addReaction,
  createAnnotation,
  type Operation,
  putPublicLink,
  recordReportRun,
  replyToThread,
  startThread,
} from '@switchboard/contracts';
import { z } from 'zod';
import { PROPAGATION_MS } from './request.ts';

interface SeedCollaborationOptions {
  managementUrl: string;
  apiUrl: string;
  projectId: string;
  /** The report with the public link and the comment thread. */
  reportId: string;
  tokens: { operator: string; owner: string; teammate: string };
}

const REPORTS = new URL('reports/', import.meta.url);
const DAY_MS = 24 * 60 * 60 * 1000;
const LINK_DAYS = 60;

const ANNOTATIONS = [
  {
    startsOn: '2026-10-26',
    endsOn: '2026-10-29',
    text: 'Autumn campaign: 20% off tents',
    tags: ['campaign'],
  },
  { startsOn: '2026-11-03', text: 'Checkout in one page', tags: ['release'] },
];

const linkAnswer = z.object({ url: z.string() });
const threadAnswer = z.object({ id: z.string(), comments: z.array(z.object({ id: z.string() })) });

/**
 * Seeds collaboration through its API: runs of every kind of report, annotations, a comment thread and a public
 * link. Returns the link's address.
 */
export async function seedCollaboration(options: SeedCollaborationOptions): Promise<string> {
  const { managementUrl, apiUrl, projectId, reportId, tokens } = options;
  const as = (token: string, url: string) =>
    createManagementClient({ token, addressOf: () => url, retryForMs: PROPAGATION_MS });
  const operator = as(tokens.operator, managementUrl);
  const owner = as(tokens.owner, apiUrl);
  const teammate = as(tokens.teammate, apiUrl);
  const params = { projectId, reportId };

  for (const file of await readdir(REPORTS)) {
    const body: unknown = JSON.parse(await readFile(new URL(file, REPORTS), 'utf8'));
    await operator.call(recordReportRun, { params: { projectId, reportId: basename(file, '.json') }, body });
  }
  for (const body of ANNOTATIONS) await owner.call(createAnnotation, { params: { projectId }, body });

  const write = async (
    who: typeof owner,
    operation: Operation,
    input: { params: Record<string, string>; body?: unknown },
  ) => threadAnswer.parse(await who.call(operation, input));
  const thread = await write(owner, startThread, {
    params,
    body: {
      body: 'Sign-ups on the growth plan doubled with the campaign. Do they stay?',
      mentions: ['user_tomas'],
    },
  });
  await write(teammate, replyToThread, {
    params: { projectId, threadId: thread.id },
    body: { body: 'Retention of those weeks looks like any other. I will look again in a month.' },
  });
  const commentId = thread.comments[0]?.id ?? '';
  await write(teammate, addReaction, { params: { projectId, commentId, emoji: '🎯' } });

  const expiresOn = new Date(Date.now() + LINK_DAYS * DAY_MS).toISOString().slice(0, 10);
  return linkAnswer.parse(await owner.call(putPublicLink, { params, body: { expiresOn } })).url;
}
