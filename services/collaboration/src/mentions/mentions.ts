import type { Tx } from '@switchboard/database';
import type { Directory, Member } from '@switchboard/directory';
import type { RateLimit } from '@switchboard/http';
import type { Clock } from '@switchboard/runtime';
import type { Caller } from '../callers/caller.ts';
import { requireReport } from '../directory/reports.ts';
import { newId } from '../ids/ids.ts';
import { reportAddress } from '../shares/link.ts';
import type { PlanDeliveries } from '../shares/plan.ts';
import type { DeliveryQueue } from '../shares/queue.ts';
import type { Delivery, SharesStore } from '../shares/store.ts';
import type { Language } from '../shares/texts.ts';

interface MentionsOptions {
  store: Pick<SharesStore, 'addMentions' | 'findMentioned' | 'skipMentions'>;
  queue: Pick<DeliveryQueue, 'enqueue'>;
  directory: Pick<Directory, 'report' | 'member'>;
  planDeliveries: PlanDeliveries;
  clock: Clock;
  consoleUrl: string;
  /** Seconds before a message is sent, in which the people mentioned may read the comment themselves. */
  delaySeconds: number | undefined;
  /** The rate limit per person and per company. */
  limit: RateLimit<[string, string]>;
  /** Called for each delivery that is skipped. */
  onSkipped(channel: Delivery['channel']): void;
}

interface MentioningComment {
  id: string;
  reportId: string;
  mentioned: readonly Member[];
  /** The language of the messages. */
  language: Language;
}

/** Queues messages in the transaction that stores a comment. Skips people whom the comment mentioned `before`. */
export type Announce = (tx: Tx, before?: readonly string[]) => Promise<void>;

/** E-mails and pushes to people whom a comment mentions, unless they have read it before the delay ends. */
export interface Mentions {
  /**
   * Skips the author, and people who already have a message about the comment. Throws RateLimited past the limits.
   */
  prepare(caller: Caller, comment: MentioningComment): Promise<Announce>;
  /** Records that the person reads the threads of a report, and skips waiting messages about its comments. */
  markSeen(caller: Caller, reportId: string): Promise<void>;
}

/** A reader who has the report open sees the comment within it, and a typing error can be corrected. */
const DELAY_SECONDS = 60;

export function createMentions(options: MentionsOptions): Mentions {
  const {
    store,
    queue,
    directory,
    planDeliveries,
    clock,
    consoleUrl,
    delaySeconds = DELAY_SECONDS,
    limit,
    onSkipped,
  } = options;

  return {
    async prepare(caller, { id, reportId, mentioned, language }) {
      const { id: projectId, companyId } = caller.project;
      const { sub: senderSub } = caller.person;
      const others = mentioned.filter(({ sub }) => sub !== senderSub);
      if (others.length === 0) return async () => undefined;
      await limit.consume(JSON.stringify([companyId, senderSub]), companyId);
      const report = await requireReport(directory, projectId, reportId);
      const sender = await directory.member(companyId, senderSub);
      const planned = await planDeliveries(others);
      return async (tx, before = []) => {
        const known = new Set([...before, ...(await store.findMentioned(tx, id))]);
        const deliveries = planned.filter(({ recipientSub }) => !known.has(recipientSub));
        if (deliveries.length === 0) return;
        const mention = {
          id: newId('shr'),
          projectId,
          companyId,
          reportId,
          reportName: report.name,
          senderSub,
          senderName: sender?.name ?? senderSub,
          note: null,
          link: `${reportAddress({ consoleUrl, projectId, reportId })}#${id}`,
          language,
          idempotencyKey: null,
          commentId: id,
          createdAt: clock.now(),
        };
        await store.addMentions(tx, mention, deliveries, (queueTx) =>
          queue.enqueue(queueTx, companyId, deliveries, delaySeconds),
        );
      };
    },

    async markSeen({ project, person }, reportId) {
      const skipped = await store.skipMentions({
        projectId: project.id,
        reportId,
        recipientSub: person.sub,
        settledAt: clock.now(),
        reason: 'the recipient has read the comment',
      });
      for (const channel of skipped) onSkipped(channel);
    },
  };
}
