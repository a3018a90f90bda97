import { pause } from '@switchboard/resilience';
import type { Admin, Kafka } from 'kafkajs';
import { EventLogUnavailable, messageOf } from '../errors.ts';
import { within } from '../timing.ts';
import { retrying } from './client.ts';

const UNSETTLED_PAUSE_MS = 100;

export interface KafkaAdmin {
  /**
   * Runs idempotent work on a connected admin client, within the time-out. Reconnects after a failure.
   */
  use<T>(what: string, work: (admin: Admin) => Promise<T>, timeoutMs?: number): Promise<T>;
  close(): Promise<void>;
}

export function createAdmin(client: Kafka, defaultTimeoutMs: number): KafkaAdmin {
  let current: Promise<Admin> | undefined;

  async function open(): Promise<Admin> {
    const admin = client.admin({ retry: retrying(20) });
    await admin.connect().catch(async (error) => {
      await admin.disconnect().catch(() => {});
      throw error;
    });
    return admin;
  }

  return {
    async use(what, work, timeoutMs = defaultTimeoutMs) {
      const deadline = performance.now() + timeoutMs;
      for (;;) {
        current ??= open();
        const opening = current;
        try {
          return await within(deadline, what, opening.then(work));
        } catch (error) {
          const broken = error instanceof Error && error.name.startsWith('KafkaJS');
          if (!broken && !(error instanceof EventLogUnavailable)) throw error;
          // The next attempt refreshes the partition leaders.
          if (current === opening) current = undefined;
          opening.then((admin) => admin.disconnect()).catch(() => {});
          if (!isLeaderUnsettled(error) || performance.now() + UNSETTLED_PAUSE_MS > deadline) {
            throw new EventLogUnavailable(`${what}: ${messageOf(error)}`, { cause: error });
          }
          await pause(UNSETTLED_PAUSE_MS);
        }
      }
    },
    async close() {
      const opening = current;
      current = undefined;
      await opening?.then((admin) => admin.disconnect()).catch(() => {});
    },
  };
}

/** A partition briefly has no leader after its creation and while leadership moves. */
function isLeaderUnsettled(error: unknown): boolean {
  const type = error instanceof Error && 'type' in error ? error.type : undefined;
  return type === 'NOT_LEADER_FOR_PARTITION' || type === 'LEADER_NOT_AVAILABLE';
}
