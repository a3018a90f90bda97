import { MAIL_AFTER_MINUTES } from '@switchboard/contracts';
import type { Tx } from '@switchboard/database';
import { and, eq, isNull, type SQL, sql } from 'drizzle-orm';
import { conversationMail } from './mail.ts';
import { supportSettings } from './support.ts';

/** Returns the query for the minutes after which a project mails replies. Null if it mails none. */
export const mailMinutes = (projectId: string | SQL) => sql`(
  select case when count(*) = 0 then ${MAIL_AFTER_MINUTES} else max(${supportSettings.mailAfterMinutes}) end
  from ${supportSettings} where ${supportSettings.projectId} = ${projectId})`;

/** Schedules the mail of a reply in the transaction that stores it, unless an earlier reply waits to be mailed. */
export async function scheduleMail(
  tx: Tx,
  { projectId, conversationId, at }: { projectId: string; conversationId: string; at: Date },
): Promise<void> {
  await tx
    .update(conversationMail)
    .set({
      dueAt: sql`${at.toISOString()}::timestamptz + make_interval(mins => ${mailMinutes(projectId)}::int)`,
      stage: 'waiting',
      attempts: 0,
    })
    .where(
      and(
        eq(conversationMail.conversationId, conversationId),
        isNull(conversationMail.dueAt),
        isNull(conversationMail.unsubscribedAt),
        isNull(conversationMail.bouncedAt),
      ),
    );
}
