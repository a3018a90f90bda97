import type { Admin, Kafka } from 'kafkajs';
import { EventLogUnavailable, messageOf } from '../errors.ts';
import { within } from '../timing.ts';
import { retrying } from './client.ts';

export interface KafkaAdmin {
  /** Runs work on a connected admin client, answered within the time-out; reconnects after a failure. */
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
      current ??= open();
      const opening = current;
      try {
        const deadline = performance.now() + timeoutMs;
        return await within(deadline, what, opening.then(work));
      } catch (error) {
        const broken = error instanceof Error && error.name.startsWith('KafkaJS');
        if (!broken && !(error instanceof EventLogUnavailable)) throw error;
        if (current === opening) current = undefined;
        opening.then((admin) => admin.disconnect()).catch(() => {});
        throw new EventLogUnavailable(`${what}: ${messageOf(error)}`, { cause: error });
      }
    },
    async close() {
      const opening = current;
      current = undefined;
      await opening?.then((admin) => admin.disconnect()).catch(() => {});
    },
  };
}
