import { type Harness, harness } from '@switchboard/testkit';

/** Generous, because other tests may share the machine. */
export const READY_WITHIN_MS = 120_000;

/** What services need to run as processes. Without brokers, the event log is on PostgreSQL. */
export function startRig(brokers?: readonly string[]): Promise<Harness> {
  return harness({
    log: brokers && { kafka: brokers },
    env: { LOG_LEVEL: 'debug', LINK_SECRET: 'x'.repeat(32), IDENTITY_SECRET: 'x'.repeat(32) },
  });
}
