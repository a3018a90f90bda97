import type { FlagsMessage } from '@switchboard/contracts';
import { createAnnouncer, type Hub, type Socket } from '@switchboard/realtime';
import type { Logger } from '@switchboard/runtime';
import type { Rulesets } from '../rulesets/rulesets.ts';

interface LiveOptions {
  rulesets: Pick<Rulesets, 'text' | 'isCurrent' | 'subscribe'>;
  sockets: Pick<Hub, 'here'>;
  logger: Logger;
}

/** Notifies the sockets of this instance of ruleset changes. */
export interface LiveChanges {
  /**
   * Sends `ready` to a new socket, and `flags_changed` on every later change. Pages of the console are no clients: they
   * are not counted.
   */
  welcome(socket: Socket, projectId: string, options?: { isClient?: boolean }): Promise<void>;
  /** Counts the clients of a project here, and those that were sent a change of that time or later. */
  clients(projectId: string, changedAt: string): { connected: number; notified: number };
  stop(): void;
}

interface Subscription {
  projectId: string;
  /** The `generatedAt` last sent to the socket. */
  sent: string | undefined;
  isClient: boolean;
}

const ALL_PROJECTS = 'everybody';
const projectTopic = (projectId: string) => `project:${projectId}`;

/**
 * Every instance receives every change from the database and notifies its own sockets. It remembers the last
 * message of each socket, so a socket ends with the newest generatedAt even if notifications repeat, arrive
 * late or get lost.
 */
export function createLiveChanges({ rulesets, sockets, logger }: LiveOptions): LiveChanges {
  const subscriptions = new WeakMap<Socket, Subscription>();
  const announcer = createAnnouncer({
    send: sendNewest,
    onError: (error, projectId) => logger.failed('announce flags', error, { projectId }),
  });

  function changesMissed(): void {
    for (const socket of sockets.here(ALL_PROJECTS)) {
      const subscription = subscriptions.get(socket);
      if (subscription !== undefined) announcer.changed(subscription.projectId);
    }
  }

  /** Sends the newest change to the sockets of a project. Returns false if the newest ruleset could not be read. */
  async function sendNewest(projectId: string): Promise<boolean> {
    if (!hasSockets(projectId)) return true;
    const { changedAt } = await rulesets.text(projectId);
    const isNewest = rulesets.isCurrent(projectId);
    for (const socket of sockets.here(projectTopic(projectId))) {
      const subscription = subscriptions.get(socket);
      if (subscription?.sent === undefined || subscription.sent >= changedAt) continue;
      subscription.sent = changedAt;
      socket.send({ type: 'flags_changed', generatedAt: changedAt } satisfies FlagsMessage);
    }
    return isNewest;
  }

  function hasSockets(projectId: string): boolean {
    for (const _ of sockets.here(projectTopic(projectId))) return true;
    return false;
  }

  rulesets.subscribe((projectId) => {
    if (hasSockets(projectId)) announcer.changed(projectId);
  }, changesMissed);

  return {
    async welcome(socket, projectId, { isClient = true } = {}) {
      const subscription: Subscription = { projectId, sent: undefined, isClient };
      subscriptions.set(socket, subscription);
      socket.join(ALL_PROJECTS);
      socket.join(projectTopic(projectId));
      const { changedAt } = await rulesets.text(projectId);
      subscription.sent = changedAt;
      socket.send({ type: 'ready', generatedAt: changedAt } satisfies FlagsMessage);
      // A change during the read was sent only to sockets that were already ready.
      if (rulesets.isCurrent(projectId)) {
        const now = rulesets.text(projectId);
        if (!(now instanceof Promise) && now.changedAt === changedAt) return;
      }
      announcer.changed(projectId);
    },
    clients(projectId, changedAt) {
      const counts = { connected: 0, notified: 0 };
      for (const socket of sockets.here(projectTopic(projectId))) {
        const subscription = subscriptions.get(socket);
        if (subscription?.isClient !== true) continue;
        counts.connected += 1;
        if (subscription.sent !== undefined && subscription.sent >= changedAt) counts.notified += 1;
      }
      return counts;
    },
    stop: announcer.stop,
  };
}
