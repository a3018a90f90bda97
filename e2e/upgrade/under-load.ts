import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@switchboard/testkit';
import { expect } from 'vitest';
import type { Call } from '../harness/call.ts';
import type { Manage, TestProject } from '../harness/project.ts';
import { prepareLoad, startLoad } from './load.ts';
import { createRequestCounts } from './request-counts.ts';
import { type Verification, verify } from './verify.ts';

/** Half the rate of the rolling upgrade of processes, because containers and pods share the cores of one machine. */
const INTENSITY = 0.5;
/** The delay after a change, so that the replacement gets load. */
const SETTLE_MS = 2_000;

interface Client {
  project: TestProject;
  call: Call;
  manage: Manage;
}

export interface UnderLoad {
  /** Makes a change. Resolves with the requests that were sent during it and the failures among them. */
  during(change: () => Promise<unknown>): Promise<{ requests: number; failures: string[] }>;
  /** Resolves once no request fails. */
  untilAllSucceed(): Promise<void>;
  /** Stops the load and verifies everything that was accepted. */
  finish(): Promise<Verification>;
}

/**
 * Sends requests of every kind until `finish` is called. `readArchived` counts each event id in the archive, after
 * waiting for the accepted ones.
 */
export async function startUnderLoad(
  { project, call, manage }: Client,
  readArchived: (accepted: readonly string[]) => Promise<Map<string, number>>,
): Promise<UnderLoad> {
  const linkToken = await prepareLoad(manage, call, project);
  const counts = createRequestCounts();
  const readShared = (token: string) => call('getSharedReport', { params: { token } });
  const { accepted, stop } = await startLoad({ call, counts, intensity: INTENSITY, linkToken, readShared });
  const sent = () => Object.values(counts.totals()).reduce((sum, count) => sum + count, 0);
  await sleep(SETTLE_MS);
  const during: UnderLoad['during'] = async (change) => {
    const before = { requests: sent(), failures: counts.failures().length };
    await change();
    await sleep(SETTLE_MS);
    return { requests: sent() - before.requests, failures: counts.failures().slice(before.failures) };
  };
  return {
    during,
    untilAllSucceed: () =>
      eventually(async () => expect((await during(() => Promise.resolve())).failures).toEqual([]), {
        withinMs: 120_000,
      }),
    async finish() {
      await stop();
      const archived = await readArchived(accepted.eventIds);
      return await verify({ stored: archived, archived, project, call, manage, accepted, visitors: [] });
    },
  };
}
