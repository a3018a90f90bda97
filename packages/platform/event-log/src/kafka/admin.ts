import { pause } from '@switchboard/resilience';
import type { Admin, Kafka } from 'kafkajs';
import { EventLogUnavailable, messageOf } from '../errors.ts';
import { within } from '../timing.ts';
import { retrying } from './client.ts';

const UNSETTLED_PAUSE_MS = 100;

export interface KafkaAdmin {
  /** Runs idempotent work on a connected admin client, within the time-out. Reconnects after a failure. */
  use<T>(what: string, work: (admin: Admin) => Promise<T>, timeoutMs?: number): Promise<T>;
  close(): Promise<void>;
}

/** A client that concurrent calls share. */
interface Shared {
  opening: Promise<Admin>;
  users: number;
}

export function createAdmin(client: Kafka, defaultTimeoutMs: number): KafkaAdmin {
  let current: Shared | undefined;

  async function open(): Promise<Admin> {
    const admin = client.admin({ retry: retrying(20) });
    await admin.connect().catch(async (error) => {
      await admin.disconnect().catch(() => {});
      throw error;
    });
    return admin;
  }

  const disconnect = ({ opening }: Shared) => opening.then((admin) => admin.disconnect()).catch(() => {});

  async function useOnce<T>(what: string, work: (admin: Admin) => Promise<T>, deadline: number): Promise<T> {
    current ??= { opening: open(), users: 0 };
    const shared = current;
    shared.users++;
    try {
      return await within(deadline, what, shared.opening.then(work));
    } catch (error) {
      // The next attempt refreshes the partition leaders.
      if (isBroken(error) && current === shared) current = undefined;
      throw error;
    } finally {
      shared.users--;
      // Waits for the last call, because disconnecting fails the other calls, some with a TypeError of kafkajs.
      if (shared.users === 0 && current !== shared) void disconnect(shared);
    }
  }

  return {
    async use(what, work, timeoutMs = defaultTimeoutMs) {
      const deadline = performance.now() + timeoutMs;
      for (;;) {
        try {
          return await useOnce(what, work, deadline);
        } catch (error) {
          if (!isBroken(error)) throw error;
          if (!isLeaderUnsettled(error) || performance.now() + UNSETTLED_PAUSE_MS > deadline) {
            throw new EventLogUnavailable(`${what}: ${messageOf(error)}`, { cause: error });
          }
          await pause(UNSETTLED_PAUSE_MS);
        }
      }
    },
    async close() {
      const shared = current;
      current = undefined;
      if (shared !== undefined) await disconnect(shared);
    },
  };
}

function isBroken(error: unknown): boolean {
  return error instanceof EventLogUnavailable || (error instanceof Error && error.name.startsWith('KafkaJS'));
}

/** Returns whether a partition has no leader yet, as after its creation and while leadership moves. */
function isLeaderUnsettled(error: unknown): boolean {
  const type = error instanceof Error && 'type' in error ? error.type : undefined;
  return type === 'NOT_LEADER_FOR_PARTITION' || type === 'LEADER_NOT_AVAILABLE';
}
