import type { Hub, Socket } from '@switchboard/realtime';
import type { Logger } from '@switchboard/service-kit';
import type { Rulesets } from '../rulesets/rulesets.ts';

interface ChangesOptions {
  rulesets: Pick<Rulesets, 'get' | 'isCurrent' | 'follow'>;
  hub: Pick<Hub, 'here'>;
  logger: Logger;
}

/** Tells the sockets of this instance which ruleset there is. */
export interface LiveChanges {
  /** Says `ready` to a new socket, and `flags_changed` from then on. */
  welcome(socket: Socket, projectId: string): Promise<void>;
  stop(): void;
}

interface Follower {
  projectId: string;
  /** The generatedAt it was told last. */
  told: string | undefined;
}

/** A project that changes all the time is told of so often: the newest ruleset counts, not each. */
const PAUSE_MS = 100;
/** Rulesets that are read together, when many may have changed. */
const AT_ONCE = 4;
const EVERYBODY = 'everybody';
const projectTopic = (projectId: string) => `project:${projectId}`;

/**
 * A change is heard by every instance, through the database, so each tells its own sockets. What a socket was told
 * is kept with it: whatever is heard twice, late or not at all, the socket ends with the newest generatedAt.
 */
export function createLiveChanges({ rulesets, hub, logger }: ChangesOptions): LiveChanges {
  const followers = new WeakMap<Socket, Follower>();
  /** Projects whose sockets are to be told. */
  const due = new Set<string>();
  /** Projects that are being told, or were a moment ago. */
  const busy = new Set<string>();
  let running = 0;
  let isStopped = false;

  function changed(projectId: string): void {
    if (hasSockets(projectId)) due.add(projectId);
    tellDue();
  }

  function changesMissed(): void {
    for (const socket of hub.here(EVERYBODY)) {
      const follower = followers.get(socket);
      if (follower !== undefined) due.add(follower.projectId);
    }
    tellDue();
  }

  function tellDue(): void {
    for (const projectId of due) {
      if (running >= AT_ONCE || isStopped) return;
      if (!busy.has(projectId)) void tellOne(projectId);
    }
  }

  async function tellOne(projectId: string): Promise<void> {
    due.delete(projectId);
    busy.add(projectId);
    running++;
    const isTold = await tell(projectId);
    running--;
    if (!isTold && hasSockets(projectId)) due.add(projectId);
    setTimeout(() => {
      busy.delete(projectId);
      tellDue();
    }, PAUSE_MS).unref();
    tellDue();
  }

  /** False when the newest ruleset could not be read. */
  async function tell(projectId: string): Promise<boolean> {
    try {
      const { changedAt } = await rulesets.get(projectId);
      const isNewest = rulesets.isCurrent(projectId);
      for (const socket of hub.here(projectTopic(projectId))) {
        const follower = followers.get(socket);
        if (follower?.told === undefined || follower.told >= changedAt) continue;
        follower.told = changedAt;
        socket.send({ type: 'flags_changed', generatedAt: changedAt });
      }
      return isNewest;
    } catch (error) {
      logger.warn({ error }, 'sockets are told of changed flags once the database answers');
      return false;
    }
  }

  function hasSockets(projectId: string): boolean {
    for (const _ of hub.here(projectTopic(projectId))) return true;
    return false;
  }

  rulesets.follow(changed, changesMissed);

  return {
    async welcome(socket, projectId) {
      const follower: Follower = { projectId, told: undefined };
      followers.set(socket, follower);
      socket.join(EVERYBODY);
      socket.join(projectTopic(projectId));
      const { changedAt } = await rulesets.get(projectId);
      follower.told = changedAt;
      socket.send({ type: 'ready', generatedAt: changedAt });
      // What changed while it was read may have been told before this one was ready.
      if (rulesets.isCurrent(projectId)) {
        const now = rulesets.get(projectId);
        if (!(now instanceof Promise) && now.changedAt === changedAt) return;
      }
      changed(projectId);
    },
    stop() {
      isStopped = true;
    },
  };
}
