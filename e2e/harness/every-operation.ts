import { createHmac } from 'node:crypto';
import { putMessengerSettings, putSupportSettings } from '@switchboard/contracts';
import { z } from 'zod';
import type { Answer, Call } from './call.ts';
import { picture } from './picture.ts';
import type { Manage, TestProject } from './project.ts';

/** The data that must exist before the requests. */
interface Prepared {
  messageId: string;
  /** A team member's picture. */
  avatar: { userId: string; file: string };
  /** A user with a valid hash. */
  user: { userId: string; userHash: string };
  /** A picture to upload as an attachment. */
  picture: Uint8Array;
  /** Resolves a conversation. */
  resolve(conversationId: string): Promise<unknown>;
  hook: { id: string; secret: string };
  /** The address of the report, if it differs from the console in the contracts' examples. */
  reportLink?: string;
}

/** Creates the data that must exist before the requests. */
export async function prepareOperations(manage: Manage, project: TestProject): Promise<Prepared> {
  const path = `/projects/${project.id}`;
  await manage('collaboration', 'POST', `${path}/reports/${project.reportId}/runs`, {
    report: { rows: [{ day: '2026-03-01', signUps: 42 }] },
  });
  const message = await manage('messenger', 'POST', `${path}/messages`, { title: 'Hello', body: 'Welcome.' });
  await manage('messenger', 'PUT', `${path}/team/grace`, { name: 'Grace' });
  const avatar = await manage('messenger', 'PUT', `${path}/team/grace/avatar`, Buffer.from(picture));
  const settings = putMessengerSettings.request.body.content['application/json'].example;
  await manage('messenger', 'PUT', `${path}/messenger/config`, { ...settings, team: [] });
  const support = putSupportSettings.request.body.content['application/json'].example;
  await manage('messenger', 'PUT', `${path}/support-settings`, { ...support, mailOpensConversations: false });
  const { secret } = z
    .object({ secret: z.string() })
    .parse(await manage('messenger', 'POST', `${path}/identity-secrets`));
  const userHash = createHmac('sha256', secret).update('user-1').digest('hex');
  await manage('flags', 'PUT', `${path}/flags/new-checkout`, { enabled: true, rolloutPercentage: 100 });
  const hook = await manage('flags', 'POST', `${path}/flags/new-checkout/hooks`, { name: 'Monitor' });
  await manage('collaboration', 'PUT', `${path}/dashboards/product`, { name: 'Product' });
  return {
    messageId: withId.parse(message).id,
    avatar: {
      userId: 'grace',
      file: z.object({ url: z.string() }).parse(avatar).url.split('/').at(-1) ?? '',
    },
    user: { userId: 'user-1', userHash },
    picture,
    hook: withSecret.parse(hook),
    resolve: (id) => manage('messenger', 'PUT', `${path}/conversations/${id}/status`, { status: 'resolved' }),
  };
}

const day = (inDays: number) => new Date(Date.now() + inDays * 86_400_000).toISOString().slice(0, 10);
const withId = z.object({ id: z.string() });
const withSecret = withId.extend({ secret: z.string() });
const link = z.object({ token: z.string() });
const thread = z.object({ id: z.string(), comments: z.array(withId).min(1) });
const conversation = z.object({ conversationId: z.string(), token: z.string() });
const person = { distinct_id: 'user-1' };
const shareOf = (url: string) => ({ recipients: ['sub-grace'], link: url, language: 'en' });

/** Calls every API operation, in an order in which each can succeed. */
export async function callEveryOperation(call: Call, prepared: Prepared): Promise<Map<string, Answer>> {
  const answers = new Map<string, Answer>();
  const ask: Call = async (operationId, options) => {
    const answer = await call(operationId, options);
    answers.set(operationId, answer);
    return answer;
  };

  await ask('listPlans');
  await ask('listAiModels');
  await ask('getMe');
  await ask('listOwnProjects');

  const annotation = withId.parse((await ask('createAnnotation')).body);
  const annotationId = { params: { annotationId: annotation.id } };
  await ask('changeAnnotation', annotationId);
  await ask('listAnnotations', { query: { from: '2026-03-01', to: '2026-03-31' } });
  await ask('deleteAnnotation', annotationId);

  const { token } = link.parse((await ask('putPublicLink', { body: { expiresOn: day(30) } })).body);
  await ask('getPublicLink');
  await ask('getSharedReport', { params: { token } });
  const { reportLink } = prepared;
  await ask('shareReport', reportLink === undefined ? {} : { body: shareOf(reportLink) });
  await ask('deletePublicLink');

  const started = thread.parse((await ask('startThread')).body);
  const threadId = { params: { threadId: started.id } };
  const commentId = started.comments[0]?.id ?? '';
  await ask('replyToThread', threadId);
  await ask('changeComment', { params: { commentId } });
  await ask('addReaction', { params: { commentId, emoji: '🎯' } });
  await ask('removeReaction', { params: { commentId, emoji: '🎯' } });
  await ask('resolveThread', threadId);
  await ask('reopenThread', threadId);
  await ask('listThreads');
  await ask('deleteComment', { params: { commentId } });

  await ask('refreshHelpCentre');
  await ask('getHelpCentre');
  await ask('putArticleSearch');
  await ask('translateTexts');

  const opened = conversation.parse((await ask('openConversation')).body);
  const within = {
    params: { id: opened.conversationId },
    headers: { 'X-Service-Conversation-Token': opened.token },
  };
  await ask('appendTurn', within);
  const uploaded = withId.parse((await ask('uploadAttachment', { ...within, body: prepared.picture })).body);
  await ask('readAttachment', {
    ...within,
    params: { ...within.params, attachmentId: uploaded.id },
  });
  await ask('getConversation', within);
  await prepared.resolve(opened.conversationId);
  await ask('getSatisfaction', within);
  await ask('rateConversation', within);
  await ask('listOwnConversations', { body: prepared.user });
  await ask('listMessages', { query: person });
  await ask('markMessageRead', { body: { message_id: prepared.messageId, ...person } });
  await ask('getMessengerConfig');
  await ask('getAvatar', { params: { user_id: prepared.avatar.userId, file: prepared.avatar.file } });

  await ask('evaluateFlags', { query: person });
  await ask('evaluateOfrepFlag', { params: { key: 'new-checkout' } });
  await ask('evaluateOfrepFlags');
  await ask('getFlagSnapshot');
  await ask('listMemberships', { query: person });
  await ask('reportFlagUsage');
  const { hook } = prepared;
  await ask('callFlagHook', {
    params: { hookId: hook.id },
    headers: { Authorization: `Bearer ${hook.secret}` },
  });

  const now = new Date().toISOString();
  const event = { ...person, event_id: 'one', event_name: 'order placed', schema_version: 1, timestamp: now };
  await ask('ingestEvents', { body: { sent_at: now, events: [event] } });
  await ask('identify');
  await ask('group');
  await ask('uploadReplayChunk');

  await ask('askInsight');
  await ask('getDashboardReports', { params: { dashboardId: 'product' } });
  const ofDashboard = { params: { dashboardId: 'product' } };
  await ask('putDashboardLink', { ...ofDashboard, body: { expiresOn: day(30) } });
  await ask('getDashboardLink', ofDashboard);
  await ask('deleteDashboardLink', ofDashboard);
  await ask('listThreadInbox');
  await ask('getArrival');
  await ask('listRejections');
  await ask('listWireUsage');
  await ask('listEvents');
  await ask('listEventNames');
  await ask('listEventProperties', { params: { name: 'order placed' } });
  await ask('listInsightPeople');
  await ask('runSql');
  await ask('previewAlert');
  await ask('countPeople');
  await ask('listPeople', { query: { search: 'user', where: '[]' } });
  await ask('listGroups', { query: { type: 'company' } });
  await ask('getGroup', { params: { type: 'company', id: 'acme' } });
  await ask('getPerson', { params: { distinctId: 'user-1' } });
  return answers;
}
