import type { Db, Transactor, Tx } from '@switchboard/database';
import { directoryTombstone } from '@switchboard/directory';
import { Unavailable } from '@switchboard/http';
import { poll } from '@switchboard/resilience';
import type { Logger } from '@switchboard/runtime';
import type { Beginnings } from '../erasures/beginnings.ts';
import type { Announce, Outbox } from '../outbox/outbox.ts';
import { tokenTombstones } from '../records/tokens.ts';
import { createTokensStore } from '../tokens/store.ts';
import { ENTRIES_PER_STEP, removeProjects } from './projects.ts';
import { createRemovalsStore } from './store.ts';

/** Deletes companies and everything that belongs to them, in steps of one transaction each. */
export interface CompanyRemovals {
  /**
   * Removes the company with its members, projects, project keys and reports, and starts its erasure in all
   * services. Starts the erasure again if the company was already removed. Throws Unavailable when the removal
   * takes too long; it then continues in the background.
   */
  remove(within: Transactor, id: string): Promise<void>;
  /** Resumes interrupted removals, now and periodically. Returns immediately. */
  start(): void;
  /** Waits for the current step to finish. */
  stop(): Promise<void>;
}

interface RemovalsOptions {
  db: Db;
  outbox: Outbox;
  beginnings: Beginnings;
  logger: Pick<Logger, 'failed'>;
  /**
   * The longest time that `remove` waits. Shorter than the timeouts of clients and of process shutdown. Default 8
   * s.
   */
  maxMs?: number;
}

const EVERY_MS = 10_000;
const COMPANIES_AT_ONCE = 100;

export function createCompanyRemovals({
  db,
  outbox,
  beginnings,
  logger,
  maxMs = 8_000,
}: RemovalsOptions): CompanyRemovals {
  const store = createRemovalsStore(db);
  const stopping = new AbortController();
  let running: Promise<void> | undefined;

  /** Runs one step. Returns false when the company is gone. Steps of several processes wait for each other. */
  const step = (id: string): Promise<boolean> =>
    outbox.change(db, async (tx, announce) => {
      if (!(await createRemovalsStore(tx).lockCompany(id))) return false;
      await removeSome(tx, id, announce);
      return true;
    });

  /** Removes some of the company's data. Once none remains, removes the company and begins its erasure. */
  async function removeSome(tx: Tx, id: string, announce: Announce): Promise<void> {
    const own = createRemovalsStore(tx);
    const projects = await own.lockProjects(id, ENTRIES_PER_STEP);
    if (projects.length > 0) return removeProjects(tx, projects, { announce, beginnings });
    const tokens = await createTokensStore(tx).removeOfCompany(id, ENTRIES_PER_STEP);
    if (tokens.length > 0) return announce(tokenTombstones(tokens));
    const subs = await own.removeMembers(id, ENTRIES_PER_STEP);
    if (subs.length > 0) return announce(subs.map((sub) => directoryTombstone('member', id, sub)));
    await own.removeCompany(id);
    announce([directoryTombstone('company', id)]);
    await beginnings.beginEverywhere(tx, announce, [
      { subject: { kind: 'company', companyId: id }, companyId: id },
    ]);
  }

  async function look(): Promise<void> {
    for (const id of await store.companies(COMPANIES_AT_ONCE)) {
      try {
        for (let isThere = true; isThere && !stopping.signal.aborted; ) isThere = await step(id);
      } catch (error) {
        logger.failed('remove companies', error, { company: id });
      }
    }
  }

  return {
    async remove(within, id) {
      const isBegun = await outbox.change(within, async (tx, announce) => {
        if (await createRemovalsStore(tx).beginCompany(id)) return true;
        await beginnings.repeat(tx, announce, { kind: 'company', companyId: id });
        return false;
      });
      if (!isBegun) return;
      const deadline = performance.now() + maxMs;
      while (await step(id)) {
        if (performance.now() > deadline) {
          throw new Unavailable('The company is still being deleted. Send the request again to wait for it.');
        }
      }
    },
    start() {
      running ??= poll(look, {
        everyMs: EVERY_MS,
        signal: stopping.signal,
        onFailure: (error) => logger.failed('remove companies', error),
      });
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
