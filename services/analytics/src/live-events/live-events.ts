import { ingestionTopics, type LiveEventsMessage } from '@switchboard/contracts';
import type { EventLog } from '@switchboard/event-log';
import { createPolling } from '@switchboard/resilience';
import type { Logger } from '@switchboard/runtime';
import { createViewers, type Filter, FLUSH_MS } from './viewers.ts';

/** The prefix of the groups that follow the topic `events`: one for each instance with viewers. */
const LIVE_GROUP = 'analytics.live';
const ARCHIVED_EVERY_MS = 1_000;

export interface LiveEvents {
  /** Resolves once the log is followed. Throws what the log throws. */
  open(): Promise<void>;
  /** Sends the events of a project that are accepted from now on, until the returned function is called. */
  watch(projectId: string, filter: Filter, send: (message: LiveEventsMessage) => void): () => void;
  start(): void;
  stop(): Promise<void>;
}

interface LiveEventsOptions {
  log: Pick<EventLog, 'follow'>;
  /** Returns the end offsets by partition: the events before them can be queried. */
  stored(): Promise<readonly bigint[]>;
  logger: Logger;
}

type Following = Awaited<ReturnType<EventLog['follow']>>;

/** Follows the log of events while someone watches. An instance reads it once for all of its viewers. */
export function createLiveEvents({ log, stored, logger }: LiveEventsOptions): LiveEvents {
  const viewers = createViewers();
  let following: Promise<Following> | undefined;

  function follow(): Promise<Following> {
    following ??= log
      .follow({ group: LIVE_GROUP, topic: ingestionTopics.events, onRecords: viewers.take })
      .catch((error: unknown) => {
        following = undefined;
        throw error;
      });
    return following;
  }

  async function stopFollowing(): Promise<void> {
    const ending = following;
    following = undefined;
    await (await ending?.catch(() => undefined))?.stop();
  }

  const onFailure = (error: unknown) => logger.failed('send live events', error);
  const flushing = createPolling(
    async () => {
      viewers.flush();
      // Not when the last viewer leaves: one who changes a filter comes back at once.
      if (!viewers.hasAny() && following !== undefined) await stopFollowing();
    },
    { everyMs: FLUSH_MS, onFailure },
  );
  const archiving = createPolling(
    async () => {
      if (viewers.isWaiting()) viewers.archived(await stored());
    },
    { everyMs: ARCHIVED_EVERY_MS, onFailure },
  );

  return {
    open: async () => void (await follow()),
    watch: viewers.add,
    start() {
      flushing.start();
      archiving.start();
    },
    async stop() {
      await Promise.all([flushing.stop(), archiving.stop()]);
      await stopFollowing();
    },
  };
}
