import { isGrantedByRole } from '@switchboard/contracts';
import type { Db } from '@switchboard/database';
import type { Directory } from '@switchboard/directory';
import { DeliveryFailed, type Mailer, Undeliverable } from '@switchboard/mail';
import type { Clock, Logger } from '@switchboard/runtime';
import { createDashboardsStore } from '../dashboards/store.ts';
import { createLocale } from '../page/render/locale.ts';
import {
  createSubscriptionsStore,
  type SubscriptionMailRow,
  type SubscriptionRow,
} from '../subscriptions/store.ts';
import type { FindTarget } from '../subscriptions/target.ts';
import { composeSubscription, type MailedReport } from './compose.ts';
import type { MailLinks } from './links.ts';

interface DeliverOptions {
  db: Db;
  directory: Pick<Directory, 'project' | 'member'>;
  findTarget: FindTarget;
  mailer: Mailer;
  links: MailLinks;
  /** The address of the console. */
  consoleUrl: string;
  onSettled(state: 'sent' | 'failed' | 'skipped'): void;
  clock: Clock;
  logger: Logger;
}

/** Whether a job in the queue of deliveries is a mail of a subscription. */
export const isSubscriptionMail = (id: string) => id.startsWith('sml_');

/**
 * Sends a mail of a subscription. It is recorded as sent right after the server accepts it. If the process ends in
 * between, the mail is repeated with the same Message-ID.
 */
export function createDeliverSubscription(options: DeliverOptions) {
  const { db, directory, findTarget, mailer, links, consoleUrl, onSettled, clock, logger } = options;
  const store = createSubscriptionsStore(db);
  const locale = createLocale('en');

  /** Returns the reports with their last runs. Throws Undeliverable if a run was removed since. */
  async function readReports(subscription: SubscriptionRow) {
    const { projectId, targetKind: kind, targetId } = subscription;
    const target = await findTarget(projectId, { kind, id: targetId });
    if (target === undefined) throw new Undeliverable(`the ${kind} does not exist`);
    const ids = target.reports.map(({ id }) => id);
    const times = await store.runTimes(projectId, ids);
    const runs = await createDashboardsStore(db).runs(projectId, ids);
    const reports = target.reports.map(({ id, name }): MailedReport => {
      const [ranAt, report] = [times.get(id)?.ranAt, runs.get(id)];
      if (ranAt === undefined || report === undefined) throw new Undeliverable('a run was removed');
      return { name, ranAt, report };
    });
    if (reports.length === 0) throw new Undeliverable('the dashboard has no reports');
    return { name: target.name, reports };
  }

  /** Returns whether the mail was sent: the recipient may still read the report. */
  async function send(mail: SubscriptionMailRow, subscription: SubscriptionRow): Promise<boolean> {
    const { projectId, companyId, targetKind: kind, schedule } = subscription;
    const project = await directory.project(projectId);
    const member = await directory.member(companyId, mail.sub);
    const isReader = member !== undefined && isGrantedByRole(member.role, 'insights.read');
    if (project?.companyId !== companyId || !isReader) return false;
    const found = await readReports(subscription);
    const to = await links.linksTo({ key: subscription, sub: mail.sub });
    await mailer.send({
      id: mail.id,
      to: member.email,
      replyTo: undefined,
      sender: 'Switchboard',
      unsubscribe: to.unsubscribe,
      ...composeSubscription(
        {
          kind,
          ...found,
          project: project.name,
          timeZone: schedule.timeZone,
          isLast: mail.isLast,
          links: to,
          home: consoleUrl,
        },
        locale,
      ),
    });
    return true;
  }

  /** Shows a failure in the list of subscriptions. */
  const show = (subscription: SubscriptionRow, failure: string) =>
    store.change(subscription, { failedAt: clock.now(), failure });

  return async (id: string, isLast: boolean): Promise<void> => {
    const found = await store.findWaiting(id);
    if (found === undefined) return;
    const { mail, subscription } = found;
    const settle = async (state: 'sent' | 'failed' | 'skipped') => {
      await store.settle(id, state);
      onSettled(state);
    };
    try {
      if (!(await send(mail, subscription))) return await settle('skipped');
    } catch (error) {
      if (!(error instanceof DeliveryFailed)) throw error;
      logger.warn({ mail: id, reason: error.message }, 'mail of a subscription failed');
      const isFinal = isLast || error instanceof Undeliverable;
      await show(
        subscription,
        `A mail was not sent: ${error.message}.${isFinal ? '' : ' It will be sent again.'}`,
      );
      if (isFinal) return settle('failed');
      throw error;
    }
    await settle('sent');
    await store.change(subscription, { lastSentAt: clock.now(), failedAt: null, failure: null });
  };
}
