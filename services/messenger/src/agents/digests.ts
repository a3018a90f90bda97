import { isGrantedByRole } from '@switchboard/contracts';
import { newId } from '@switchboard/database';
import type { Directory } from '@switchboard/directory';
import { type Mailer, Undeliverable } from '@switchboard/mail';
import { createPolling, doAll, type Polling } from '@switchboard/resilience';
import type { Clock, Logger } from '@switchboard/runtime';
import type { MailAddresses } from '../mail/addresses.ts';
import { mailLanguage } from '../mail-texts/languages.ts';
import { composeDigest } from './compose.ts';
import { isQuiet } from './quiet-hours.ts';
import type { AgentsStore, DueDigest } from './store.ts';

interface DigestsOptions {
  store: AgentsStore;
  directory: Pick<Directory, 'project' | 'member'>;
  mailer: Mailer;
  addresses: Pick<MailAddresses, 'forAgent'>;
  consoleUrl: string;
  onSettled(state: 'sent' | 'failed'): void;
  clock: Clock;
  logger: Logger;
}

const EVERY_MS = 1_000;
const MINUTE_MS = 60_000;
/** Longer than a mail server may take. */
const LEASE_MS = 2 * MINUTE_MS;
const BETWEEN_DIGESTS_MS = 60 * MINUTE_MS;
const RETRY_MS = 5 * MINUTE_MS;
const MAX_ENTRIES = 20;

/**
 * Mails members what waits for them: at most once an hour, outside their quiet hours, and only if a conversation waits
 * that was not in the last digest.
 */
export function createDigests(options: DigestsOptions): Polling {
  const { store, directory, mailer, addresses, consoleUrl, onSettled, clock, logger } = options;
  const later = (ms: number) => new Date(clock.now().getTime() + ms);

  async function step(due: DueDigest): Promise<void> {
    const { projectId, sub, preferences, digested } = due;
    const now = clock.now();
    const project = await directory.project(projectId);
    const member = project && (await directory.member(project.companyId, sub));
    if (member === undefined || !isGrantedByRole(member.role, 'conversations.reply'))
      return store.settle(due, null);
    if (isQuiet(preferences, now)) return store.settle(due, later(MINUTE_MS));
    const until = later(-preferences.digestAfterMinutes * MINUTE_MS);
    const { teamIds } = preferences;
    const waiting = await store.waiting({ projectId, sub, teamIds, until, limit: MAX_ENTRIES + 1 });
    const shown = waiting.slice(0, MAX_ENTRIES);
    const marks = shown.map(({ id, waitingSince }) => `${id} ${waitingSince.toISOString()}`);
    if (marks.every((mark) => digested.includes(mark))) return store.settle(due, later(MINUTE_MS));
    const entries = shown.map((one) => ({ ...one, replyTo: addresses.forAgent(due.number, one.id) }));
    const [first] = entries;
    const inboxLink = `${consoleUrl}/projects/${encodeURIComponent(projectId)}/inbox`;
    try {
      await mailer.send({
        ...composeDigest({
          project: project?.name ?? '',
          language: preferences.language ?? mailLanguage(project?.defaultLanguage ?? ''),
          entries,
          hasMore: waiting.length > MAX_ENTRIES,
          timezone: preferences.timezone,
          inboxLink: `${inboxLink}?view=mine`,
          preferencesLink: `${inboxLink}/preferences`,
        }),
        id: newId('dig'),
        to: member.email,
        replyTo: entries.length === 1 ? first?.replyTo : undefined,
      });
    } catch (error) {
      logger.failed('send digest of the inbox', error, { projectId });
      if (error instanceof Undeliverable) onSettled('failed');
      return store.settle(due, later(error instanceof Undeliverable ? BETWEEN_DIGESTS_MS : RETRY_MS));
    }
    onSettled('sent');
    return store.settle(due, later(BETWEEN_DIGESTS_MS), marks);
  }

  const takeDue = () => store.takeDue(clock.now(), later(LEASE_MS));
  return createPolling((signal) => doAll(signal, takeDue, step), {
    everyMs: EVERY_MS,
    onFailure: (error) => logger.failed('send digests of the inbox', error),
  });
}
