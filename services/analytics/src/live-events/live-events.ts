import { ingestionTopics, type LiveEventsMessage } from '@switchboard/contracts';
import type { ErasedPerson } from '@switchboard/directory';
import type { EventLog } from '@switchboard/event-log';
import { createPolling } from '@switchboard/resilience';
import type { Logger } from '@switchboard/runtime';
import { createViewers, type Filter, FLUSH_MS } from './viewers.ts';

/** The prefix of the groups that follow the topic `events`: one for each instance with viewers. */
const LIVE_GROUP = 'analytics.live';
const ARCHIVED_EVERY_MS = 1_000;
/** An erasure takes longer than this. */
const ERASED_EVERY_MS = 1_000;
/** The limit of earlier records to read of each partition. */
const MAX_EARLIER = 200n;

export interface LiveEvents {
  /** Returns `watch` once the log is followed. Throws what the log throws. */
  open(): Promise<Watch>;
  start(): void;
  stop(): Promise<void>;
}

/**
 * Sends the latest events of a project that are accepted and not archived yet, then those that are accepted from now
 * on, until the returned function is called.
 */
type Watch = (projectId: string, filter: Filter, send: (message: LiveEventsMessage) => void) => () => void;

interface LiveEventsOptions {
  log: Pick<EventLog, 'follow'>;
  /** Returns the end offsets by partition: the events before them can be queried. */
  stored(): Promise<readonly bigint[]>;
  /** Returns the people who are being erased. */
  erased(): Promise<readonly ErasedPerson[]>;
  logger: Logger;
}

type Following = Awaited<ReturnType<EventLog['follow']>>;

/** Follows the log of events while someone watches. An instance reads it once for all of its viewers. */
export function createLiveEvents({ log, stored, erased, logger }: LiveEventsOptions): LiveEvents {
  const viewers = createViewers();
  let following: Promise<Following> | undefined;
  let stopping: Promise<void> | undefined;
  /** The number of callers that are about to add a viewer. */
  let opening = 0;

  function follow(): Promise<Following> {
    following ??= start().catch((error: unknown) => {
      following = undefined;
      throw error;
    });
    return following;
  }

  /** Starts with the records that the archive has not stored yet. Lists of events do not have theirs. */
  async function start(): Promise<Following> {
    // Two followers at once would pass on records twice.
    await stopping?.catch(() => undefined);
    const offsets = await stored();
    return await log.follow({
      group: LIVE_GROUP,
      topic: ingestionTopics.events,
      from(partition, end) {
        const earliest = end > MAX_EARLIER ? end - MAX_EARLIER : 0n;
        const next = offsets[partition] ?? 0n;
        // A topic that was created again ends before the offset.
        if (next > end) return end;
        return next > earliest ? next : earliest;
      },
      onRecords: viewers.take,
    });
  }

  function stopFollowing(): Promise<void> {
    const ending = following;
    following = undefined;
    const stop = async () => {
      await (await ending?.catch(() => undefined))?.stop();
      viewers.forget();
    };
    stopping = stop();
    return stopping;
  }

  const onFailure = (error: unknown) => logger.failed('send live events', error);
  const flushing = createPolling(
    async () => {
      viewers.flush();
      // Not when the last viewer leaves: one who changes a filter comes back at once.
      if (!viewers.hasAny() && opening === 0 && following !== undefined) await stopFollowing();
    },
    { everyMs: FLUSH_MS, onFailure },
  );
  const archiving = createPolling(
    async () => {
      if (viewers.isWaiting()) viewers.archived(await stored());
    },
    { everyMs: ARCHIVED_EVERY_MS, onFailure },
  );

  const erasing = createPolling(
    async () => {
      if (viewers.hasAny()) viewers.erase(await erased());
    },
    { everyMs: ERASED_EVERY_MS, onFailure },
  );

  return {
    async open() {
      opening += 1;
      try {
        await follow();
        const [offsets, people] = await Promise.all([stored(), erased()]);
        viewers.erase(people);
        return (projectId, filter, send) => viewers.add(projectId, { ...filter, send }, offsets);
      } finally {
        opening -= 1;
      }
    },
    start() {
      flushing.start();
      archiving.start();
      erasing.start();
    },
    async stop() {
      await Promise.all([flushing.stop(), archiving.stop(), erasing.stop()]);
      await stopFollowing();
    },
  };
}
