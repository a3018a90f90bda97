import type { Directory } from '@switchboard/directory';
import { DeliveryFailed, type Mailer, Undeliverable } from '@switchboard/mail';
import type { Clock, Logger } from '@switchboard/runtime';
import { composeMail, composePush, type MessageDetails } from './messages.ts';
import type { SendPush } from './pushes.ts';
import type { Delivery, Settled, SharesStore } from './store.ts';
import { Unneeded } from './undeliverable.ts';

interface DeliverOptions {
  store: SharesStore;
  directory: Pick<Directory, 'member'>;
  mailer: Mailer;
  sendPush: SendPush;
  clock: Clock;
  logger: Logger;
  consoleUrl: string;
  /** Called once per delivery. */
  onSettled(channel: Delivery['channel'], state: Settled): void;
}

/** Makes one delivery. `isLast` is true if it will not be retried. */
export type Deliver = (id: string, isLast: boolean) => Promise<void>;

/**
 * Delivers messages. A delivery is recorded as sent right after the server accepts it. If the process ends in
 * between, the delivery is repeated with the same Message-ID or push topic.
 */
export function createDeliver(options: DeliverOptions): Deliver {
  const { store, directory, mailer, sendPush, clock, logger, consoleUrl, onSettled } = options;

  async function send(delivery: Delivery): Promise<void> {
    const { id, share, recipientSub, channel, endpoint } = delivery;
    const details = detailsOf(delivery);
    const recipient = await directory.member(share.companyId, recipientSub);
    if (recipient === undefined)
      throw new Undeliverable('the recipient is no longer a member of the company');
    if (channel === 'email') {
      const sender = await directory.member(share.companyId, share.senderSub);
      const content = composeMail(details, consoleUrl);
      return mailer.send({
        id,
        to: recipient.email,
        replyTo: sender?.email,
        sender: share.senderName,
        ...content,
      });
    }
    return sendPush(id, recipient, endpoint ?? '', composePush(details));
  }

  async function fail(delivery: Delivery, reason: string): Promise<void> {
    await store.settle(delivery.id, 'failed', clock.now(), reason);
    onSettled(delivery.channel, 'failed');
    logger.warn({ delivery: delivery.id, channel: delivery.channel, reason }, 'delivery failed');
  }

  return async (id, isLast) => {
    const delivery = await store.findWaiting(id);
    if (delivery === undefined) return;
    try {
      await send(delivery);
    } catch (error) {
      if (error instanceof Unneeded) {
        await store.settle(id, 'skipped', clock.now(), error.message);
        return onSettled(delivery.channel, 'skipped');
      }
      if (error instanceof Undeliverable) return fail(delivery, error.message);
      if (isLast) return fail(delivery, `gave up: ${reasonOf(error)}`);
      throw error;
    }
    await store.settle(id, 'sent', clock.now());
    onSettled(delivery.channel, 'sent');
  };
}

/** Throws Unneeded if the comment of a mention no longer mentions the recipient. */
function detailsOf({ share, comment, recipientSub }: Delivery): MessageDetails {
  if (share.commentId === null) return { ...share, isMention: false };
  if (comment === null || comment.body === null) throw new Unneeded('the comment was deleted');
  if (!comment.mentions.includes(recipientSub))
    throw new Unneeded('the comment no longer mentions the recipient');
  return { ...share, isMention: true, note: comment.body };
}

/** Omits the messages of other errors, which may contain data such as query parameters. */
function reasonOf(error: unknown): string {
  if (error instanceof DeliveryFailed) return error.message;
  return error instanceof Error ? error.name : 'no reason given';
}
