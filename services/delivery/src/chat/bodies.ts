import { noticeBody } from '@switchboard/chat';
import { isObject, WEBHOOK_TYPES } from '@switchboard/contracts';
import type { LookUps } from '@switchboard/directory';
import { z } from 'zod';
import type { WebhookRow } from '../webhooks/store.ts';
import { pageAddress } from './links.ts';
import { SAYINGS } from './sayings.ts';

interface BodiesOptions {
  directory: Pick<LookUps, 'project' | 'member' | 'report'>;
  config: { CONSOLE_URL: string };
}

/** Returns the body that is sent for a stored body of Standard Webhooks, in the format of the webhook. */
export type BodyFor = (webhook: Pick<WebhookRow, 'projectId' | 'format'>, stored: string) => Promise<string>;

/** Stored bodies are those of Standard Webhooks, so that a webhook may change its format while messages wait. */
const storedBody = z.object({
  type: z.enum([...WEBHOOK_TYPES, 'webhook.test']),
  data: z.record(z.string(), z.unknown()),
});

export function createBodies({ directory, config: { CONSOLE_URL: consoleUrl } }: BodiesOptions): BodyFor {
  /** Returns the name of who acted in an audit entry. */
  async function nameOf(actor: unknown, companyId: string | undefined): Promise<string> {
    const { kind, id } = isObject(actor) ? actor : {};
    if (kind === 'scheduler') return 'A schedule';
    if (typeof id !== 'string') return 'Someone';
    const isMember = kind === 'person' && companyId !== undefined;
    return (isMember ? (await directory.member(companyId, id))?.name : undefined) ?? id;
  }

  return async ({ projectId, format }, stored) => {
    if (format === 'standard') return stored;
    const { type, data } = storedBody.parse(JSON.parse(stored));
    const project = await directory.project(projectId);
    const { actor, reportId } = data;
    const report = typeof reportId === 'string' ? reportId : '';
    const said = {
      data,
      actor: await nameOf(actor, project?.companyId),
      report:
        (type === 'report.ran' ? (await directory.report(projectId, report))?.name : undefined) ?? report,
    };
    const { title, lines, page } = SAYINGS[type](said);
    const link = { title: page.title, url: pageAddress(consoleUrl, projectId, page) };
    return noticeBody(format, { title, lines: [...lines, project?.name ?? projectId], link });
  };
}
