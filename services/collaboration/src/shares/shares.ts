import type { ShareRequest } from '@switchboard/contracts';
import type { Directory, Member } from '@switchboard/directory';
import type { Clock } from '@switchboard/service-kit';
import type { Caller } from '../caller.ts';
import { newId } from '../ids.ts';
import { requireMembers } from '../members.ts';
import { requireReport } from '../reports.ts';
import { requireReportLink } from './link.ts';
import type { DeliveryQueue } from './queue.ts';
import type { ShareStore } from './store.ts';

interface SharesOptions {
  store: ShareStore;
  queue: Pick<DeliveryQueue, 'enqueue'>;
  directory: Pick<Directory, 'report' | 'members' | 'member'>;
  clock: Clock;
  consoleUrl: string;
  /** Whether there are keys to push with. */
  canPush: boolean;
}

/** Sends a report to members of the company. Any member may. */
export function createShares({ store, queue, directory, clock, consoleUrl, canPush }: SharesOptions) {
  /** One delivery for each channel of each recipient, so that a retry reaches only those not reached yet. */
  async function deliveriesTo(recipients: Member[]) {
    const pushes = recipients.flatMap(({ sub, pushSubscriptions }) => {
      const endpoints = new Set(pushSubscriptions.map(({ endpoint }) => endpoint));
      return canPush ? [...endpoints].map((endpoint) => ({ sub, endpoint })) : [];
    });
    const gone = await store.dropped(pushes.map(({ endpoint }) => endpoint));
    const byEmail = recipients.map(({ sub }) => ({ recipientSub: sub, channel: 'email' as const }));
    const byPush = pushes
      .filter(({ endpoint }) => !gone.has(endpoint))
      .map(({ sub, endpoint }) => ({ recipientSub: sub, channel: 'push' as const, endpoint }));
    return [...byEmail, ...byPush].map((delivery) => ({ id: newId('dlv'), ...delivery }));
  }

  return {
    /** Answers how many people the report is on its way to. */
    async share(caller: Caller, reportId: string, asked: ShareRequest): Promise<{ sent: number }> {
      const { id: projectId, companyId } = caller.project;
      const report = await requireReport(directory, projectId, reportId);
      const recipients = await requireMembers(directory, companyId, asked.recipients, 'recipients');
      const link = requireReportLink(asked.link, { consoleUrl, projectId, reportId });
      const sender = await directory.member(companyId, caller.person.sub);
      const deliveries = await deliveriesTo(recipients);
      const share = {
        id: newId('shr'),
        projectId,
        companyId,
        reportId,
        reportName: report.name,
        senderSub: caller.person.sub,
        senderName: sender?.name ?? caller.person.sub,
        note: asked.note || null,
        link,
        language: asked.language,
        createdAt: clock.now(),
      };
      const ids = deliveries.map(({ id }) => id);
      await store.add(share, deliveries, (tx) => queue.enqueue(tx, ids));
      return { sent: recipients.length };
    },
  };
}
