import type { ShareRequest } from '@switchboard/contracts';
import type { Directory } from '@switchboard/directory';
import type { AuditedChange, RateLimit } from '@switchboard/http';
import type { Clock } from '@switchboard/runtime';
import type { Caller } from '../callers/caller.ts';
import { requireMembers } from '../directory/members.ts';
import { requireReport } from '../directory/reports.ts';
import { newId } from '../ids/ids.ts';
import { requireReportLink } from './link.ts';
import type { PlanDeliveries } from './plan.ts';
import type { DeliveryQueue } from './queue.ts';
import type { SharesStore } from './store.ts';

interface SharesOptions {
  store: SharesStore;
  queue: Pick<DeliveryQueue, 'enqueue'>;
  directory: Pick<Directory, 'report' | 'member'>;
  clock: Clock;
  consoleUrl: string;
  planDeliveries: PlanDeliveries;
  /** The rate limit per person and per company. */
  limit: RateLimit<[string, string]>;
}

/** Sends reports to members of the company. */
export interface Shares {
  /**
   * Returns the number of people the report is sent to. Repeating an idempotency key for a person and report
   * returns the first result and sends nothing. Throws RateLimited past the limits.
   */
  share(
    change: AuditedChange,
    caller: Caller,
    reportId: string,
    request: ShareRequest,
    idempotencyKey: string | undefined,
  ): Promise<{ sent: number }>;
}

export function createShares(options: SharesOptions): Shares {
  const { store, queue, directory, clock, consoleUrl, planDeliveries, limit } = options;

  return {
    async share(change, caller, reportId, request, idempotencyKey) {
      const { id: projectId, companyId } = caller.project;
      const { sub } = caller.person;
      const report = await requireReport(directory, projectId, reportId);
      if (idempotencyKey !== undefined) {
        const sent = await store.findSent({ projectId, reportId, senderSub: sub, idempotencyKey });
        if (sent !== undefined) {
          await change.record();
          return { sent };
        }
      }
      const recipients = await requireMembers(directory, companyId, request.recipients, 'recipients');
      const link = requireReportLink(request.link, { consoleUrl, projectId, reportId });
      await limit.consume(JSON.stringify([companyId, sub]), companyId);
      const sender = await directory.member(companyId, sub);
      const deliveries = await planDeliveries(recipients);
      const share = {
        id: newId('shr'),
        projectId,
        companyId,
        reportId,
        reportName: report.name,
        senderSub: sub,
        senderName: sender?.name ?? sub,
        note: request.note || null,
        link,
        language: request.language,
        idempotencyKey: idempotencyKey ?? null,
        commentId: null,
        createdAt: clock.now(),
      };
      const sent = await store.add(
        share,
        deliveries,
        (tx) => queue.enqueue(tx, companyId, deliveries),
        change,
      );
      return { sent };
    },
  };
}
