import { isGrantedByRole } from '@switchboard/contracts';
import type { Directory } from '@switchboard/directory';
import { Undeliverable } from '@switchboard/mail';
import { EndpointGone, type Pusher } from '@switchboard/push';
import { createPolling, pause } from '@switchboard/resilience';
import type { Clock, Logger } from '@switchboard/runtime';
import { isQuiet } from '../agents/quiet-hours.ts';
import { agentTexts } from '../mail-texts/agent-texts.ts';
import { mailLanguage } from '../mail-texts/languages.ts';
import type { DuePush, PushedConversation, PushesStore, Subscriber } from './store.ts';

interface PushesOptions {
  store: Omit<PushesStore, 'list' | 'add' | 'remove'>;
  directory: Pick<Directory, 'project' | 'member'>;
  pusher: Pusher;
  consoleUrl: string;
  onSettled(state: 'sent' | 'gone' | 'failed'): void;
  clock: Clock;
  logger: Logger;
}

type Outcome = 'sent' | 'gone' | 'failed' | 'retry';

const EVERY_MS = 500;
/** Longer than the pushes of one conversation take. */
const LEASE_MS = 300_000;
const FIRST_RETRY_MS = 15_000;
const MAX_ATTEMPTS = 3;
const AT_ONCE = 10;
/** The projects that an instance pushes for at a time, so that slow endpoints of one do not delay the others. */
const PROJECTS_AT_ONCE = 16;

/**
 * Pushes turns of visitors to the browsers of members who want them, outside their quiet hours. A push that fails
 * three times is left out: the conversation still waits in the inbox.
 */
export function createPushes(options: PushesOptions) {
  const { store, directory, pusher, consoleUrl, onSettled, clock, logger } = options;
  const later = (ms: number) => new Date(clock.now().getTime() + ms);

  async function step(due: DuePush): Promise<void> {
    const { conversationId: id, projectId, attempts, subscriptionIds } = due;
    const [conversation, project] = await Promise.all([store.find(id), directory.project(projectId)]);
    // A member may have answered first.
    if (project === undefined || conversation === undefined || conversation.text === null)
      return store.settle(due);
    await store.removeOfOtherKeys(project.id, pusher.publicKey);
    const all = await store.subscribers(project.id, pusher.publicKey, subscriptionIds);
    const members = await membersAmong(project.companyId, all);
    const wanted = all.filter(
      ({ sub, preferences }) =>
        members.has(sub) && isWanted(sub, preferences, conversation) && !isQuiet(preferences, clock.now()),
    );
    const failed: string[] = [];
    for (let at = 0; at < wanted.length; at += AT_ONCE) {
      const some = wanted.slice(at, at + AT_ONCE);
      const outcomes = await Promise.all(some.map((one) => send(id, one, conversation, project)));
      for (const [index, outcome] of outcomes.entries()) {
        const subscriber = some[index];
        if (outcome !== 'retry') onSettled(outcome);
        else if (subscriber !== undefined) failed.push(subscriber.id);
      }
    }
    if (failed.length === 0) return store.settle(due);
    if (attempts + 1 < MAX_ATTEMPTS) return store.retry(due, later(FIRST_RETRY_MS * 4 ** attempts), failed);
    for (const _ of failed) onSettled('failed');
    return store.settle(due);
  }

  /** Returns the subscribers who may still reply. Removes the subscriptions of the others. */
  async function membersAmong(companyId: string, all: readonly Subscriber[]): Promise<Set<string>> {
    const members = new Set<string>();
    for (const sub of new Set(all.map((one) => one.sub))) {
      const member = await directory.member(companyId, sub);
      if (member !== undefined && isGrantedByRole(member.role, 'conversations.reply')) members.add(sub);
    }
    await store.drop(all.filter(({ sub }) => !members.has(sub)).map(({ id }) => id));
    return members;
  }

  async function send(
    conversationId: string,
    { id, endpoint, keys, preferences, projectId }: Subscriber,
    { subject, text }: PushedConversation,
    project: { name: string; defaultLanguage: string },
  ): Promise<Outcome> {
    const language = preferences.language ?? mailLanguage(project.defaultLanguage);
    const asks = agentTexts[language].asks(project.name);
    const { pushText } = preferences;
    try {
      await pusher.send(
        conversationId,
        { endpoint, keys },
        {
          type: 'visitor_turn',
          title: pushText && subject !== null ? subject : asks,
          body: pushText ? (text ?? '') : '',
          url: `${consoleUrl}/projects/${encodeURIComponent(projectId)}/inbox?open=${encodeURIComponent(conversationId)}`,
        },
      );
      return 'sent';
    } catch (error) {
      if (error instanceof EndpointGone) {
        await store.drop([id]);
        return 'gone';
      }
      logger.failed('push a turn', error, { conversation: conversationId });
      return error instanceof Undeliverable ? 'failed' : 'retry';
    }
  }

  const inHand = new Map<string, Promise<void>>();

  function begin(due: DuePush): void {
    const work = step(due)
      .catch((error: unknown) => logger.failed('push turns', error))
      .finally(() => inHand.delete(due.projectId));
    inHand.set(due.projectId, work);
  }

  async function look(signal: AbortSignal): Promise<boolean> {
    let hasFound = false;
    while (!signal.aborted) {
      const hasRoom = inHand.size < PROJECTS_AT_ONCE;
      const due = hasRoom ? await store.takeDue(clock.now(), later(LEASE_MS), [...inHand.keys()]) : undefined;
      hasFound ||= due !== undefined;
      if (due !== undefined) begin(due);
      else if (inHand.size === 0) break;
      else await Promise.race([...inHand.values(), pause(EVERY_MS, signal)]);
    }
    return hasFound;
  }

  const polling = createPolling(look, {
    everyMs: EVERY_MS,
    onFailure: (error) => logger.failed('push turns', error),
  });

  return {
    start: polling.start,
    async stop(): Promise<void> {
      await polling.stop();
      await Promise.all(inHand.values());
    },
  };
}

function isWanted(
  sub: string,
  { desktop, teamIds }: Subscriber['preferences'],
  { assigneeId, teamId }: PushedConversation,
): boolean {
  if (desktop !== 'mine') return desktop === 'all';
  return assigneeId === sub || (assigneeId === null && (teamId === null || teamIds.includes(teamId)));
}
