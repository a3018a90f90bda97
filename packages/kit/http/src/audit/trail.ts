import { appendEntry, auditLagSeconds, createAuditRelay } from '@switchboard/audit';
import { type AuditEntry, auditOutcome, type Operation, type ServiceName } from '@switchboard/contracts';
import { type Db, newId, type Tx } from '@switchboard/database';
import type { EventLog } from '@switchboard/event-log';
import { poll } from '@switchboard/resilience';
import type { Logger, Metrics } from '@switchboard/runtime';
import { type Audited, createAudited } from './change.ts';
import { createRejections } from './rejections.ts';
import { type AuditDetails, type AuditedCall, encodeEntry, newEntry } from './request.ts';

/** Work that ran outside a request because it was scheduled. */
export interface ScheduledWork extends Omit<AuditDetails, 'object'> {
  /** The id of the object that scheduled it. The entry of the scheduling request names it too. */
  scheduledBy: string;
  action: string;
  object: string;
  outcome: AuditEntry['outcome'];
  companyId: string;
  /** Null if it concerns the company as a whole. */
  projectId: string | null;
}

/** The part of the audit trail that a service writes. */
export interface AuditTrail {
  /** Returns the entry of a request before its caller is known. */
  begin(operation: Operation, call: AuditedCall): Audited;
  /** Writes or counts the entry of a rejection. */
  refused(audited: Audited, status: number): Promise<void>;
  /** Writes the entry of scheduled work in the transaction of its change. */
  scheduled(tx: Tx, work: ScheduledWork): Promise<void>;
  /** Starts to publish written entries. Returns at once. */
  start(): void;
  /** Writes the counted rejections. */
  stop(): Promise<void>;
}

interface AuditTrailOptions {
  service: ServiceName;
  context: {
    config: { REGION: string; TOPIC_REPLICATION: number };
    clock: { now(): Date };
    logger: Logger;
    metrics: Metrics;
  };
  db: Db;
  log: EventLog;
}

const MINUTE_MS = 60_000;
/** Limits for known people and tokens, so that a repeated mistake is visible as one. */
const IDENTIFIED = { maxAlike: 5, maxWritten: 120, maxKinds: 100 };
/** Limits for requests without a valid token, which anyone can send from many addresses. */
const ANONYMOUS = { maxAlike: 2, maxWritten: 20, maxKinds: 20 };

export function createAuditTrail({ service, context, db, log }: AuditTrailOptions): AuditTrail {
  const { config, clock, logger, metrics } = context;
  const entries = metrics.counterBy(
    'switchboard_audit_entries_total',
    'Entries written to the audit trail, by outcome.',
    ['outcome'],
  );
  const counted = metrics.counter(
    'switchboard_audit_refusals_counted_total',
    'Refusals counted in an existing entry of the audit trail instead of a new one.',
  );
  for (const outcome of auditOutcome.options) entries.add([outcome], 0);
  metrics.gaugeBy(
    'switchboard_audit_lag_seconds',
    'Age of the oldest unpublished entry of the audit trail.',
    [],
    async () => [{ labels: {}, value: await auditLagSeconds(db) }],
  );

  const relay = createAuditRelay({ db, log, replication: config.TOPIC_REPLICATION, logger });

  function onWritten(outcome: AuditEntry['outcome']): void {
    entries.add([outcome]);
    relay.wake();
  }

  async function write(entry: AuditEntry): Promise<void> {
    await appendEntry(db, encodeEntry(entry));
    onWritten(entry.outcome);
  }

  const rejections = { write, onCounted: () => counted.add() };
  const identified = createRejections({ ...IDENTIFIED, ...rejections });
  const anonymous = createRejections({ ...ANONYMOUS, ...rejections });
  const flush = () => Promise.all([identified.flush(), anonymous.flush()]);

  const onFailure = (error: unknown) => logger.failed('write counted rejections', error);
  const stopping = new AbortController();
  let flushing: Promise<void> | undefined;

  return {
    begin(operation, call) {
      return createAudited({
        entry: newEntry(operation, call, { service, region: config.REGION, at: clock.now() }),
        db,
        now: clock.now,
        onWritten: () => onWritten('allowed'),
      });
    },

    async refused({ entry }, status) {
      const { before, after, ...kept } = entry;
      const rejection: AuditEntry = { ...kept, outcome: 'refused', status };
      await (entry.actor.kind === 'nobody' ? anonymous : identified).record(rejection);
    },

    async scheduled(tx, { scheduledBy, reason = null, ...work }) {
      const entry: AuditEntry = {
        id: newId('aud'),
        at: clock.now().toISOString(),
        actor: { kind: 'scheduler', id: scheduledBy, tokenId: null },
        ...work,
        status: work.outcome === 'refused' ? 403 : null,
        reason,
        address: 'none',
        requestId: null,
        region: config.REGION,
        service,
        count: 1,
        until: null,
      };
      await appendEntry(tx, encodeEntry(entry));
      entries.add([entry.outcome]);
    },

    start() {
      relay.start();
      const { signal } = stopping;
      flushing ??= poll(async () => void (await flush()), { everyMs: MINUTE_MS, signal, onFailure });
    },

    async stop() {
      stopping.abort();
      await flushing;
      await flush();
      await relay.stop();
    },
  };
}
