import { randomUUID } from 'node:crypto';
import type { Database } from '@switchboard/database';
import { z } from 'zod';
import { changedChannel, notifyChanged } from './store.ts';

/** While announcements may be missed, nothing read longer ago is trusted. */
const trustedUnheardMs = 300;

const payloadSchema = z.union([z.array(z.string()), z.object({ probe: z.string() })]);

interface AnnouncementOptions {
  database: Database;
  onChanged(key: string): void;
  /** Announcements may have been missed since the last call, or may be missed now. */
  onDoubt(): void;
}

/**
 * Hears which entries changed. When the connection is lost, `onDoubt` is called again and again until a probe
 * that this instance announced itself has come back: from then on nothing is missed.
 */
export async function hearChanges({ database, onChanged, onDoubt }: AnnouncementOptions) {
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
    timer ??= setInterval(probe, trustedUnheardMs);
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

  function trust() {
    clearInterval(timer);
    timer = undefined;
    awaited = undefined;
    onDoubt();
  }

  const listening = await database.listen(changedChannel, onMessage, doubt);
  return {
    async stop() {
      clearInterval(timer);
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
