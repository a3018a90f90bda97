import { randomUUID } from 'node:crypto';
import type { Database } from '@switchboard/database';
import { z } from 'zod';
import type { DirectoryLogger } from './following.ts';
import { CHANGED_CHANNEL, notifyChanged } from './store.ts';

/** How often cached entries are invalidated while announcements may be lost. */
const PROBE_INTERVAL_MS = 300;
/** Longer than a database restart takes. */
const WARN_AFTER_MS = 10_000;

const payloadSchema = z.union([z.array(z.string()), z.object({ probe: z.string() })]);

interface AnnouncementOptions {
  database: Database;
  logger: DirectoryLogger | undefined;
  onChanged(key: string): void;
  /** Called when announcements may have been lost since the last call, or may be lost now. */
  onDoubt(): void;
}

/**
 * Listens for changed entries. While the connection is lost, calls `onDoubt` repeatedly until a probe that this
 * instance sends to itself arrives. After that, no announcement is lost.
 */
export async function listenForChanges({ database, logger, onChanged, onDoubt }: AnnouncementOptions) {
  let warning: NodeJS.Timeout | undefined;
  let timer: NodeJS.Timeout | undefined;
  let awaited: string | undefined;
  let probing = false;

  function onMessage(payload: string) {
    const message = payloadSchema.safeParse(parseJson(payload));
    if (!message.success) return doubt();
    if (Array.isArray(message.data)) message.data.forEach(onChanged);
    else if (message.data.probe === awaited) trust();
  }

  function doubt() {
    awaited = randomUUID();
    timer ??= setInterval(probe, PROBE_INTERVAL_MS);
    warning ??= setTimeout(warn, WARN_AFTER_MS);
    probe();
  }

  function probe() {
    onDoubt();
    if (probing) return;
    probing = true;
    notifyChanged(database.drizzle, JSON.stringify({ probe: awaited }))
      .catch(() => undefined)
      .finally(() => {
        probing = false;
      });
  }

  function warn() {
    logger?.warn(
      { seconds: WARN_AFTER_MS / 1000 },
      'directory announcements do not arrive, polling entries until they do (poolers must keep sessions)',
    );
  }

  function trust() {
    endDoubt();
    timer = undefined;
    warning = undefined;
    awaited = undefined;
    onDoubt();
  }

  function endDoubt() {
    clearInterval(timer);
    clearTimeout(warning);
  }

  const listening = await database.listen(CHANGED_CHANNEL, onMessage, doubt);
  return {
    async stop() {
      endDoubt();
      await listening.stop();
    },
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
