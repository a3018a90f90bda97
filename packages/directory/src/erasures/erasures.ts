import { type Database, type Db, openDatabase, type Tx } from '@switchboard/database';
import type { EventLog } from '@switchboard/event-log';
import { poll } from '@switchboard/resilience';
import type { DirectoryLogger } from '../following.ts';
import type { Entries, ErasedPerson } from '../record.ts';
import { ERASURE_REPORTS_TOPIC, erasureReportRecord } from './reports.ts';
import {
  forgetSubject,
  isErasureDone,
  isGone,
  keepLock,
  lockErasures,
  markErasureDone,
  readErasure,
  readErasures,
  readUnseenErasures,
} from './store.ts';

/**
 * Erases what one service holds. Called again after a failure, and where everything is erased already. Long work is
 * given up between its steps when the signal aborts: the process stops, or another may be erasing.
 */
export interface Eraser {
  /** Absent: the service holds nothing of people. */
  erasePerson?(person: ErasedPerson, signal: AbortSignal): Promise<void>;
  /** Absent: a colleague is in the replica of the directory alone, which is cleared in any case. */
  eraseColleague?(sub: string, signal: AbortSignal): Promise<void>;
  /** Everything that the service holds of a deleted project. Absent: as above. */
  eraseProject?(projectId: string, signal: AbortSignal): Promise<void>;
  /** What the service holds of a deleted company beside its projects, which are erased one by one. Absent: as above. */
  eraseCompany?(companyId: string, signal: AbortSignal): Promise<void>;
}

/** A consumer group through which personal data reaches the service. */
export interface Intake {
  group: string;
  topics: readonly string[];
}

export interface ErasuresOptions {
  /** The service's database, with its replica of the directory. */
  database: Database;
  databaseUrl: string;
  log: Pick<EventLog, 'lag' | 'publish'>;
  service: string;
  region: string;
  logger: DirectoryLogger;
  /** What must be read, up to its end at the request, before anything is erased. Default: nothing. */
  intakes?: readonly Intake[];
  /** Made with a database whose statements may take minutes. Without one, the service holds only its replica. */
  eraser?(db: Db): Eraser;
  /** How long the database may not answer before the lock of an erasure is given up. Default 10 s. */
  lockTimeoutMs?: number;
}

/** Carries out the erasures that the directory asks this service for. */
export interface Erasures {
  /** Returns at once. */
  start(): void;
  /** Waits for the step of an erasure that is in progress. */
  stop(): Promise<void>;
}

type Erasure = Entries['erasure'];
/** Offsets by topic and partition. */
type Ends = ReadonlyMap<string, bigint>;

const POLL_MS = 1_000;
/** Requests that began before a member was removed, and records being published, have ended by then. */
const SETTLE_MS = 2_000;
/** A report that catalogue has not taken in by then is taken for lost. */
const REPORT_AGAIN_MS = 60_000;
const STATEMENT_TIMEOUT_MS = 600_000;
/** Those that the directory waits for take turns with them. */
const UNSEEN_AT_ONCE = 10;
const UNSEEN_MS = 30_000;
/** The service that publishes what arrives with a project's keys. */
const SOURCE = 'ingestion';

/**
 * Follows the erasures in the replica of the directory. Each is done once the service's consumers have read what was on
 * the event log when it was seen, once and by one process, and is reported until the directory no longer asks for it.
 */
export function openErasures(options: ErasuresOptions): Erasures {
  const { database, databaseUrl, log, service, region, logger, intakes = [], eraser } = options;
  const { lockTimeoutMs = 10_000 } = options;
  const name = `${region}/${service}`;
  const stopping = new AbortController();
  const seenAt = new Map<string, number>();
  const endsOf = new Map<string, Ends>();
  const reportedAt = new Map<string, number>();
  let readAgainAt = 0;
  let running: Promise<void> | undefined;

  async function look(): Promise<void> {
    const asked = new Set<string>();
    for await (const erasure of readErasures(database.drizzle)) {
      if (stopping.signal.aborted) return;
      if (!isAsked(erasure)) continue;
      asked.add(erasure.id);
      await carryOut(erasure);
    }
    for (const erasure of await readUnseen()) {
      if (stopping.signal.aborted) return;
      asked.add(erasure.id);
      await carryOut(erasure);
    }
    for (const known of [seenAt, endsOf, reportedAt]) {
      for (const id of known.keys()) if (!asked.has(id)) known.delete(id);
    }
  }

  /** Not at every look: there may be many to compare, and mostly none is unseen. */
  async function readUnseen(): Promise<Erasure[]> {
    if (performance.now() < readAgainAt) return [];
    const unseen = await readUnseenErasures(database.drizzle, UNSEEN_AT_ONCE);
    if (unseen.length === 0) readAgainAt = performance.now() + UNSEEN_MS;
    return unseen;
  }

  const isAsked = ({ waitingFor }: Erasure) => waitingFor.includes(name);
  const isSettled = ({ waitingFor }: Erasure) => waitingFor.length === 0;

  /** One that fails does not keep others waiting. */
  async function carryOut(erasure: Erasure): Promise<void> {
    const { id } = erasure;
    try {
      if (wasReported(id)) return;
      const isDone = await isErasureDone(database.drizzle, id);
      if (!isDone && !((await isDue(erasure)) && (await eraseAlone(erasure)))) return;
      if (!isDone) logger.info({ erasure: id }, 'erasure done');
      if (!isAsked(erasure)) return;
      await log.publish(ERASURE_REPORTS_TOPIC, [erasureReportRecord({ erasureId: id, service: name })]);
      reportedAt.set(id, performance.now());
    } catch (error) {
      if (stopping.signal.aborted) return;
      logger.failed('erase', error, { erasure: id });
    }
  }

  function wasReported(id: string): boolean {
    return performance.now() - (reportedAt.get(id) ?? Number.NEGATIVE_INFINITY) < REPORT_AGAIN_MS;
  }

  async function isDue({ id, subject, waitingFor }: Erasure): Promise<boolean> {
    // Until then, records of the project may still reach the log.
    if (subject.kind === 'project' && service !== SOURCE && waitingFor.includes(`${region}/${SOURCE}`))
      return false;
    const now = performance.now();
    const seen = seenAt.get(id) ?? now;
    seenAt.set(id, seen);
    if (now - seen < SETTLE_MS) return false;
    // Nothing of colleagues and companies comes through consumers.
    if (subject.kind === 'colleague' || subject.kind === 'company') return true;
    const positions = await readPositions();
    const ends = endsOf.get(id) ?? new Map(positions.map(({ place, end }) => [place, end]));
    endsOf.set(id, ends);
    // A topic that ends before the offset waited for was created again: all it has is waited for.
    return positions.every(({ place, committed, end }) => {
      const target = ends.get(place) ?? 0n;
      return committed >= (target < end ? target : end);
    });
  }

  async function readPositions() {
    const lags = await Promise.all(intakes.map(({ group, topics }) => log.lag(group, [...topics])));
    return lags.flat().map(({ topic, partition, committed, end }) => {
      return { place: `${topic}/${partition}`, committed, end };
    });
  }

  /** False when another process is at it, or the replica still has what is erased. */
  async function eraseAlone(erasure: Erasure): Promise<boolean> {
    const open = (statementTimeoutMs: number) =>
      openDatabase({
        url: databaseUrl,
        applicationName: `${service} erasure`,
        poolSize: 1,
        statementTimeoutMs,
      });
    const own = open(STATEMENT_TIMEOUT_MS);
    // PostgreSQL ends the transaction after six times this without a statement.
    const holder = open(lockTimeoutMs);
    const ending = new AbortController();
    const signal = AbortSignal.any([stopping.signal, ending.signal]);
    let working: Promise<void> | undefined;
    let beating: NodeJS.Timeout | undefined;
    try {
      return await holder.drizzle.transaction(async (tx) => {
        if (!(await lockErasures(tx)) || !(await isOpen(tx, erasure.id))) return false;
        // What the replica has can still be written to.
        if (!(await isGone(tx, erasure.subject))) return false;
        beating = setInterval(() => void keepLock(tx).catch(() => undefined), lockTimeoutMs);
        working = erase(erasure, eraser?.(own.drizzle), signal);
        await working;
        await forgetSubject(tx, erasure.subject);
        await markErasureDone(tx, erasure.id);
        return true;
      });
    } finally {
      clearInterval(beating);
      // A transaction whose connection is lost ends, and releases the lock, while the eraser is still at work.
      ending.abort();
      await working?.catch(() => undefined);
      await Promise.all([own.close(), holder.close()]);
    }
  }

  async function isOpen(tx: Tx, id: string): Promise<boolean> {
    const erasure = await readErasure(tx, id);
    if (erasure === undefined || !(isAsked(erasure) || isSettled(erasure))) return false;
    return !(await isErasureDone(tx, id));
  }

  async function erase({ subject }: Erasure, work: Eraser | undefined, signal: AbortSignal): Promise<void> {
    switch (subject.kind) {
      case 'person':
        return work?.erasePerson?.(subject, signal);
      case 'colleague':
        return work?.eraseColleague?.(subject.sub, signal);
      case 'project':
        return work?.eraseProject?.(subject.projectId, signal);
      case 'company':
        return work?.eraseCompany?.(subject.companyId, signal);
    }
  }

  return {
    start() {
      running ??= poll(look, {
        everyMs: POLL_MS,
        signal: stopping.signal,
        onFailure: (error) => logger.failed('read erasures', error),
      });
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
