import {
  DEFAULT_ROLE,
  MEMBERSHIPS_TOPIC,
  type MembershipRecord,
  membershipRecord,
  parseMembershipKey,
} from '@switchboard/contracts';
import type { Db } from '@switchboard/database';
import {
  type BackgroundConsumer,
  type Consumption,
  createConsumer,
  type EventLog,
  type RecordBatch,
  type StoredRecord,
} from '@switchboard/event-log';
import { type AuditedChange, type AuditTrail, NotFound, Rejection } from '@switchboard/http';
import { compactedTopic } from '@switchboard/outbox';
import { hashToken, type Logger } from '@switchboard/runtime';
import type { Editor, Members } from '../members/members.ts';
import { createMemberChangesStore } from './store.ts';

const GROUP = 'catalogue.memberships';
/** Identity may change every role, but neither remove nor lower the only owner of a company. */
const IDENTITY: Editor = {
  sub: 'identity',
  mayChangeAdmins: true,
  isOperator: false,
  keepsServiceTokens: false,
};

interface ConsumerOptions {
  db: Db;
  log: EventLog;
  members: Members;
  audit: Pick<AuditTrail, 'scheduled'>;
  /** The number of replicas of each partition. */
  replication: number;
  logger: Logger;
}

/** A change of a member. Without a record, the member is removed. */
interface MemberChange {
  companyId: string;
  sub: string;
  revision: bigint;
  record: MembershipRecord | undefined;
}

/** The change was applied before: the log delivers records at least once. */
class AlreadyApplied extends Error {
  override name = 'AlreadyApplied';
}

/** Applies the changes of members that identity publishes, by the rules of members. */
export function createMemberChanges(options: ConsumerOptions): BackgroundConsumer {
  const { log, logger, replication } = options;
  const topics = [MEMBERSHIPS_TOPIC];

  async function consume(): Promise<Consumption> {
    await log.createTopics([{ ...compactedTopic(MEMBERSHIPS_TOPIC, replication), deadLetter: true }]);
    return log.consume({ group: GROUP, topics, handle });
  }

  async function handle(batch: RecordBatch): Promise<void> {
    for (const stored of batch.records) {
      const change = parse(stored);
      if (change === undefined) await batch.deadLetter(stored, 'not a change of a membership');
      else await applyOrRefuse(change);
    }
  }

  async function applyOrRefuse(change: MemberChange): Promise<void> {
    try {
      await apply(options, change);
    } catch (error) {
      if (error instanceof AlreadyApplied) return;
      if (!(error instanceof Rejection) || error.status >= 500) throw error;
      const { companyId, sub } = change;
      logger.warn({ company: companyId, sub, reason: error.message }, 'refused change of member');
    }
  }

  return createConsumer({ consume, topics, logger });
}

async function apply(options: ConsumerOptions, change: MemberChange): Promise<void> {
  const { members } = options;
  const { companyId, sub, record } = change;
  const audited = changeOf(options, change);
  if (record === undefined) {
    await members.remove(audited, companyId, sub, IDENTITY);
    return;
  }
  const known = await members.get(companyId, sub, { sub, mayReadContacts: true }).catch((error: unknown) => {
    if (error instanceof NotFound) return undefined;
    throw error;
  });
  const { name, email, role = known?.role ?? DEFAULT_ROLE } = record;
  const avatar = known?.avatarUrl == null ? {} : { avatarUrl: known.avatarUrl };
  await members.put(audited, companyId, { sub, name, email, role, ...avatar }, IDENTITY);
}

/** Returns a change that is applied once, with its entry in the audit trail. */
function changeOf(
  { db, audit }: ConsumerOptions,
  { companyId, sub, revision, record }: MemberChange,
): AuditedChange {
  const details: Parameters<AuditedChange['describe']>[0] = {};
  return {
    transaction: (work) =>
      db.transaction(async (tx) => {
        const store = createMemberChangesStore(tx);
        if (!(await store.advance(hashToken(`${companyId}/${sub}`), revision))) throw new AlreadyApplied();
        const result = await work(tx);
        await audit.scheduled(tx, {
          scheduledBy: 'identity',
          action: record === undefined ? 'deleteMember' : 'putMember',
          object: `member:${sub}`,
          outcome: 'allowed',
          companyId,
          projectId: null,
          before: details.before,
          after: details.after,
        });
        return result;
      }),
    describe: (more) => void Object.assign(details, more),
    record: async () => undefined,
  };
}

function parse({ key, value, headers }: StoredRecord): MemberChange | undefined {
  const member = parseMembershipKey(key ?? '');
  const { revision = '' } = headers;
  if (member === undefined || !/^\d{1,18}$/.test(revision)) return undefined;
  if (value === null) return { ...member, revision: BigInt(revision), record: undefined };
  try {
    const record = membershipRecord.parse(JSON.parse(value.toString('utf8')));
    const isSame = record.companyId === member.companyId && record.sub === member.sub;
    return isSame ? { ...member, revision: BigInt(revision), record } : undefined;
  } catch {
    return undefined;
  }
}
