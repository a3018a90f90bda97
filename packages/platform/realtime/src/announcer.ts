export interface AnnouncerOptions {
  /** Sends the current state of a key to its sockets. Returns false on failure, and is then called again. */
  send(key: string): Promise<boolean>;
  onError(error: unknown, key: string): void;
}

export interface Announcer {
  /** Notes that the key has changed. Changes that arrive while it waits are sent together. */
  changed(key: string): void;
  stop(): void;
}

/** The minimum time between two calls for a key. Doubles while they fail. */
const MIN_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5_000;
/** Limits concurrent reads when many keys may have changed. */
const MAX_CONCURRENT = 4;

/** Sends the changes of each key until they are sent. A key that fails or hangs does not delay the others. */
export function createAnnouncer({ send, onError }: AnnouncerOptions): Announcer {
  /** Keys to send. */
  const due = new Set<string>();
  /** Keys being sent, or sent less than a pause ago. */
  const busy = new Set<string>();
  const failures = new Map<string, number>();
  let running = 0;
  let isStopped = false;

  function startDue(): void {
    for (const key of due) {
      if (running >= MAX_CONCURRENT || isStopped) return;
      if (!busy.has(key)) void sendOne(key);
    }
  }

  async function sendOne(key: string): Promise<void> {
    due.delete(key);
    busy.add(key);
    running += 1;
    const isSent = await send(key).catch((error: unknown) => {
      onError(error, key);
      return false;
    });
    running -= 1;
    const failed = isSent ? 0 : (failures.get(key) ?? 0) + 1;
    if (isSent) {
      failures.delete(key);
    } else {
      failures.set(key, failed);
      due.add(key);
    }
    setTimeout(
      () => {
        busy.delete(key);
        startDue();
      },
      Math.min(MAX_PAUSE_MS, MIN_PAUSE_MS * 2 ** failed),
    ).unref();
    startDue();
  }

  return {
    changed(key) {
      due.add(key);
      startDue();
    },
    stop() {
      isStopped = true;
    },
  };
}
