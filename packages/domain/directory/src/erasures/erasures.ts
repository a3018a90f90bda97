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
 * Erases the data that one service holds. Methods are called again after a failure, and may find everything erased
 * already. Long work stops between steps when the signal aborts, because the process stops or another process may be
 * erasing.
 */
export interface Eraser {
  /**
   * Erases a person in one project, and returns no ids. Or returns further ids of the person and erases nothing: it is
   * called again once the erasure has them. Omit it if the service holds no personal data.
   */
  erasePerson?(person: ErasedPerson, signal: AbortSignal): Promise<readonly string[]>;
  /** Erases a colleague. Omit it if only the replica of the directory, which is always cleared, holds colleagues. */
  eraseColleague?(sub: string, signal: AbortSignal): Promise<void>;
  /** Erases everything that the service holds about a deleted project. Omit it if the service holds nothing. */
  eraseProject?(projectId: string, signal: AbortSignal): Promise<void>;
  /**
   * Erases the data of a deleted company, except its projects, which are erased one by one. Omit it if the service
   * holds nothing.
   */
  eraseCompany?(companyId: string, signal: AbortSignal): Promise<void>;
}

/** A consumer group that brings personal data into the service. */
export interface Intake {
  group: string;
  topics: readonly string[];
}

export interface ErasuresOptions {
  /** The service's database, which contains its replica of the directory. */
  database: Database;
  databaseUrl: string;
  log: Pick<EventLog, 'lag' | 'publish'>;
  service: string;
  region: string;
  logger: DirectoryLogger;
  /**
   * The consumer groups that must reach the end of their topics, as of the request, before the erasure. Default:
   * none.
   */
  intakes?: readonly Intake[];
  /**
   * The services that publish what people write from an outbox. A person is erased again once they have reported, because
   * they publish until then. Default: none.
   */
  sources?: readonly string[];
  /**
   * Creates the eraser with a database connection that allows statements of several minutes. Omit it if the service
   * holds only its replica.
   */
  eraser?(db: Db): Eraser;
  /** How long the database may not respond before the lock of an erasure is released. Default: 10 s. */
  lockTimeoutMs?: number;
  /** How long an erasure waits after it was first seen. Default: `SETTLE_MS`. */
  settleMs?: number;
  /** How often erasures are read. Default: 1 s for 30 s after an erasure, otherwise 4 s. */
  pollMs?: number;
}

/** Performs the erasures that the directory requests from this service. */
export interface Erasures {
  /** Starts following erasures in the background. */
  start(): void;
  /** Waits for the current step of an erasure. */
  stop(): Promise<void>;
}

type Erasure = Entries['erasure'];
/** End offsets by topic and partition, and whether they are of the last erasure of a person. */
interface Ends {
  isLast: boolean;
  offsets: ReadonlyMap<string, bigint>;
}

/** Longer than requests that began before a member was removed, and than publishes in progress, take. */
const SETTLE_MS = 2_000;
/** How long catalogue may take to process a report before the report counts as lost. */
const REPORT_AGAIN_MS = 60_000;
const STATEMENT_TIMEOUT_MS = 600_000;
/** The number of unseen erasures per round, so that erasures the directory waits for are not delayed. */
const UNSEEN_AT_ONCE = 10;
const UNSEEN_MS = 30_000;
/** The service that publishes data received with a project's keys. */
const SOURCE = 'ingestion';
/** The service that joins the ids of people. */
const OWNER_OF_PERSONS = 'flags';

/**
 * Follows the erasures in the replica of the directory. Each erasure runs once, in one process, after the service's
 * consumers have read everything that was on the event log when the erasure was first seen. It is reported until the
 * directory no longer requests it. The ids of a person that the erasure has are erased at once, and it is finished when
 * flags has reported: until then, flags may add ids.
 */
export function openErasures(options: ErasuresOptions): Erasures {
  const { database, databaseUrl, log, service, region, logger, intakes = [], sources = [], eraser } = options;
  const { lockTimeoutMs = 10_000, settleMs = SETTLE_MS, pollMs = 1_000 } = options;
  const name = `${region}/${service}`;
  const stopping = new AbortController();
  const seenAt = new Map<string, number>();
  const endsOf = new Map<string, Ends>();
  const reportedAt = new Map<string, { at: number; ids: number }>();
  /** The number of ids of each person that were erased before flags reported. */
  const erasedIds = new Map<string, number>();
  let readAgainAt = 0;
  let running: Promise<void> | undefined;

  async function look(): Promise<boolean> {
    const asked = new Set<string>();
    for await (const erasure of readErasures(database.drizzle)) {
      if (stopping.signal.aborted) return true;
      if (!isAsked(erasure)) continue;
      asked.add(erasure.id);
      await carryOut(erasure);
    }
    for (const erasure of await readUnseen()) {
      if (stopping.signal.aborted) return true;
      asked.add(erasure.id);
      await carryOut(erasure);
    }
    for (const known of [seenAt, endsOf, reportedAt, erasedIds]) {
      for (const id of known.keys()) if (!asked.has(id)) known.delete(id);
    }
    return asked.size > 0;
  }

  /** Reads unseen erasures at intervals, because the comparison may be large and rarely finds any. */
  async function readUnseen(): Promise<Erasure[]> {
    if (performance.now() < readAgainAt) return [];
    const unseen = await readUnseenErasures(database.drizzle, UNSEEN_AT_ONCE);
    if (unseen.length === 0) readAgainAt = performance.now() + UNSEEN_MS;
    return unseen;
  }

  const isAsked = ({ waitingFor }: Erasure) => waitingFor.includes(name);
  const isSettled = ({ waitingFor }: Erasure) => waitingFor.length === 0;

  /** Performs one erasure. Logs failures, so that they do not delay other erasures. */
  async function carryOut(erasure: Erasure): Promise<void> {
    const { id } = erasure;
    try {
      if (wasReported(erasure)) return;
      const isEarly = mayGetMore(erasure);
      if (isEarly && hasErasedIds(erasure)) return;
      const isDone = await isErasureDone(database.drizzle, id);
      const found = isDone ? [] : (await isDue(erasure)) ? await eraseAlone(erasure) : undefined;
      if (found === undefined) return;
      if (isEarly) {
        erasedIds.set(id, idsIn(erasure));
        logger.info(
          { erasure: id, ids: idsIn(erasure) },
          'erased ids of a person, waiting for other services',
        );
        return;
      }
      if (found.length > 0) logger.info({ erasure: id, ids: found.length }, 'found more ids of a person');
      else if (!isDone) logger.info({ erasure: id }, 'erasure done');
      if (!isAsked(erasure)) return;
      const report = { erasureId: id, service: name, ...(found.length === 0 ? {} : { found: [...found] }) };
      await log.publish(ERASURE_REPORTS_TOPIC, [erasureReportRecord(report)]);
      reportedAt.set(id, { at: performance.now(), ids: idsIn(erasure) });
    } catch (error) {
      if (stopping.signal.aborted) return;
      logger.failed('erase', error, { erasure: id });
    }
  }

  /** An erasure with more ids than at its report has the ids that this service found. */
  function wasReported(erasure: Erasure): boolean {
    const reported = reportedAt.get(erasure.id);
    if (reported === undefined || reported.ids !== idsIn(erasure)) return false;
    return performance.now() - reported.at < REPORT_AGAIN_MS;
  }

  const hasErasedIds = (erasure: Erasure) => erasedIds.get(erasure.id) === idsIn(erasure);

  const idsIn = ({ subject }: Erasure) => (subject.kind === 'person' ? subject.distinctIds.length : 0);

  const isAwaited = (other: string, { waitingFor }: Erasure) =>
    service !== other && waitingFor.includes(`${region}/${other}`);

  /**
   * Until the owner of persons has reported, more ids may be joined to the person; until the sources have, more records
   * may be published.
   */
  const mayGetMore = (erasure: Erasure) =>
    erasure.subject.kind === 'person' &&
    [OWNER_OF_PERSONS, ...sources].some((other) => isAwaited(other, erasure));

  async function isDue(erasure: Erasure): Promise<boolean> {
    const { id, subject } = erasure;
    // Until ingestion has reported, records of the project may still reach the log.
    if (subject.kind === 'project' && isAwaited(SOURCE, erasure)) return false;
    const now = performance.now();
    const seen = seenAt.get(id) ?? now;
    seenAt.set(id, seen);
    if (now - seen < settleMs) return false;
    // Consumers carry no data of colleagues and companies.
    if (subject.kind === 'colleague' || subject.kind === 'company') return true;
    const positions = await readPositions();
    const isLast = !mayGetMore(erasure);
    const known = endsOf.get(id);
    const offsets = new Map(positions.map(({ place, end }) => [place, end]));
    const ends = known?.isLast === isLast ? known : { isLast, offsets };
    endsOf.set(id, ends);
    // A topic that ends before the target offset was recreated, so all of its records must be read.
    return positions.every(({ place, committed, end }) => {
      const target = ends.offsets.get(place) ?? 0n;
      return committed >= (target < end ? target : end);
    });
  }

  async function readPositions() {
    const lags = await Promise.all(intakes.map(({ group, topics }) => log.lag(group, [...topics])));
    return lags.flat().map(({ topic, partition, committed, end }) => {
      return { place: `${topic}/${partition}`, committed, end };
    });
  }

  /**
   * Returns the ids that the eraser found, or none if it has erased. Returns undefined if another process is erasing, or
   * if the replica still has the subject.
   */
  async function eraseAlone(erasure: Erasure): Promise<readonly string[] | undefined> {
    const open = (statementTimeoutMs: number) =>
      openDatabase({
        url: databaseUrl,
        applicationName: `${service} erasure`,
        poolSize: 1,
        statementTimeoutMs,
      });
    const own = open(STATEMENT_TIMEOUT_MS);
    // PostgreSQL ends the transaction after six times this period without a statement.
    const holder = open(lockTimeoutMs);
    const ending = new AbortController();
    const signal = AbortSignal.any([stopping.signal, ending.signal]);
    let working: Promise<readonly string[]> | undefined;
    let beating: NodeJS.Timeout | undefined;
    try {
      return await holder.drizzle.transaction(async (tx) => {
        if (!(await lockErasures(tx)) || !(await isOpen(tx, erasure.id))) return undefined;
        // While the replica has the subject, new data can still be written for it.
        if (!(await isGone(tx, erasure.subject))) return undefined;
        beating = setInterval(() => void keepLock(tx).catch(() => undefined), lockTimeoutMs);
        const isErased = sources.length === 0 && hasErasedIds(erasure);
        working = isErased ? Promise.resolve([]) : erase(erasure, eraser?.(own.drizzle), signal);
        const found = await working;
        if (found.length > 0 || mayGetMore(erasure)) return found;
        await forgetSubject(tx, erasure.subject);
        await markErasureDone(tx, erasure.id);
        return found;
      });
    } finally {
      clearInterval(beating);
      // If the connection is lost, the transaction ends and releases the lock while the eraser still runs.
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

  async function erase(
    { subject }: Erasure,
    work: Eraser | undefined,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    switch (subject.kind) {
      case 'person':
        return (await work?.erasePerson?.(subject, signal)) ?? [];
      case 'colleague':
        await work?.eraseColleague?.(subject.sub, signal);
        return [];
      case 'project':
        await work?.eraseProject?.(subject.projectId, signal);
        return [];
      case 'company':
        await work?.eraseCompany?.(subject.companyId, signal);
        return [];
    }
  }

  return {
    start() {
      running ??= poll(look, {
        everyMs: pollMs,
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
