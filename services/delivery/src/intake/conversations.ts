import { CONVERSATIONS_TOPIC, type ConversationRecord, conversationRecord } from '@switchboard/contracts';
import type { Happening } from './intake.ts';

/** Openings, turns and resolutions of conversations, which messenger publishes. */
export const conversations = {
  group: 'delivery.conversations',
  topic: CONVERSATIONS_TOPIC,
  schema: conversationRecord,
  invalid: 'not a change of a conversation',
  happeningsOf: (record: ConversationRecord) => [happeningOf(record)],
};

function happeningOf(record: ConversationRecord): Happening {
  const { type, at, ...data } = record;
  const { subject: _, ...withoutSubject } = data;
  const { text: __, ...ids } = { text: null, ...withoutSubject };
  const { projectId, conversationId } = data;
  // A conversation is opened once, and may be resolved several times.
  const sourceId = 'turnId' in data ? data.turnId : `${conversationId} ${at}`;
  return {
    projectId,
    acceptedAt: at,
    type,
    occurrence: { type, at, subject: `conversation:${conversationId}`, sourceId, ids, data },
  };
}
