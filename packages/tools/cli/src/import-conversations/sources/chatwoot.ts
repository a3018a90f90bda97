import { type Fields, fieldsOf, textOf } from '@switchboard/other-products';
import { Refused, requireTime } from '../../imports/refused.ts';
import type {
  AuthorKind,
  Collector,
  LoseAt,
  SourceConversation,
  SourceFile,
  SourceText,
  SourceTurn,
} from './source.ts';
import {
  cleanText,
  emailOf,
  fileNameOf,
  lineOf,
  objectsIn,
  requireId,
  snoozeOf,
  traitsOf,
} from './values.ts';

const STATUSES: Readonly<Record<string, SourceConversation['status']>> = {
  open: 'open',
  pending: 'pending',
  snoozed: 'open',
  resolved: 'resolved',
};
const PRIORITIES: Readonly<Record<string, SourceConversation['priority']>> = {
  urgent: 'urgent',
  high: 'high',
  medium: 'normal',
  low: 'low',
};
const MESSAGE_TYPES = ['incoming', 'outgoing', 'activity', 'template'] as const;
const BOTS = ['agent_bot', 'captain_assistant'];
/** A list has only the last message of each conversation. If that is younger, the conversation has no other one. */
const FIRST_WITHIN_SECONDS = 60;

interface Found {
  record: Fields;
  place: string;
}

/**
 * Reads what Chatwoot's API answers for conversations and for messages. A list of conversations has only the last
 * message of each: https://developers.chatwoot.com/api-reference/conversations/conversations-list.
 */
export function chatwoot(lose: LoseAt): Collector {
  const conversations = new Map<string, Found>();
  const messages = new Map<string, Map<string, Found>>();
  const complete = new Set<string>();
  let account: string | undefined;

  /** Ids of conversations are counted in each account, and messages may not name theirs. */
  function requireAccount(record: Fields): void {
    const named = textOf(record['account_id']);
    account ??= named;
    if (named !== undefined && named !== account)
      throw new Refused('account_id: another account; import one account at a time');
  }

  function addMessage(record: Fields, place: string): string {
    const conversationId = requireId(record['conversation_id'], 'conversation_id');
    const ofConversation = messages.get(conversationId) ?? new Map<string, Found>();
    ofConversation.set(requireId(record['id'], 'id'), { record, place });
    messages.set(conversationId, ofConversation);
    return conversationId;
  }

  function convert(id: string, { record, place }: Found): SourceConversation {
    const losing = (what: string) => lose(what, place);
    const { sender: contact, assignee, team } = fieldsOf(record['meta']);
    const sender = fieldsOf(contact);
    const status = textOf(record['status']) ?? '';
    const known = Object.hasOwn(STATUSES, status) ? STATUSES[status] : undefined;
    if (known === undefined) throw new Refused('status: not open, pending, snoozed or resolved');
    const createdAt = requireTime(record['created_at'], 'created_at');
    if (assignee != null) losing('assignee: the conversation is assigned to no one');
    if (team != null) losing('team');
    if (Object.keys(fieldsOf(record['custom_attributes'])).length > 0) losing('custom_attributes');
    const contactId = requireId(sender['id'], 'meta.sender.id');
    const { email = null, name, phone_number: phone, custom_attributes: custom } = sender;
    const texts = [...(messages.get(id) ?? new Map<string, Found>())]
      .flatMap(([messageId, message]) => textIn(messageId, message, lose) ?? [])
      .sort((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt) || Number(a.id) - Number(b.id));
    const [first] = texts;
    const lostSeconds = (Date.parse(first?.createdAt ?? createdAt) - Date.parse(createdAt)) / 1_000;
    if (texts.length === 1 && !complete.has(id) && lostSeconds > FIRST_WITHIN_SECONDS)
      losing('earlier messages: only the last one is in the files; save /conversations/{id}/messages too');
    return {
      ...{ place, createdAt, status: known },
      snooze: status === 'snoozed' ? snoozeOf(record) : null,
      id: account === undefined ? id : `${account}/${id}`,
      distinctId: lineOf(sender['identifier'], 200) ?? `chatwoot-${contactId}`,
      traits: traitsOf({ ...fieldsOf(custom), name, email, phone }),
      traitsAt: requireTime(sender['last_activity_at'] ?? sender['created_at'] ?? createdAt, 'meta.sender'),
      email: emailOf(email),
      subject: lineOf(fieldsOf(record['additional_attributes'])['mail_subject'], 200),
      priority: PRIORITIES[textOf(record['priority']) ?? ''] ?? 'normal',
      labels: Array.isArray(record['labels']) ? record['labels'].map(String) : [],
      turns: texts.flatMap(({ isNote, ...turn }) => (isNote ? [] : turn)),
      notes: texts.flatMap(({ isNote, authorKind: _, ...note }): SourceText[] => (isNote ? [note] : [])),
    };
  }

  return {
    add(record, place) {
      requireAccount(record);
      if ('message_type' in record) {
        complete.add(addMessage(record, place));
        return;
      }
      if (!('status' in record) || !('meta' in record))
        throw new Refused('status: neither a conversation nor a message');
      const id = requireId(record['id'], 'id');
      const { messages: embedded, ...conversation } = record;
      conversations.set(id, { record: conversation, place });
      for (const message of objectsIn(embedded)) addMessage({ conversation_id: id, ...message }, place);
    },
    conversations(refuse) {
      for (const [id, [[, first] = [undefined, undefined]]] of [...messages].map(
        ([id, found]) => [id, [...found]] as const,
      ))
        if (!conversations.has(id) && first !== undefined)
          lose('messages of a conversation that is not in the files', first.place);
      return [...conversations].flatMap(([id, found]) => {
        try {
          return convert(id, found);
        } catch (error) {
          if (!(error instanceof Refused)) throw error;
          refuse(error.message, found.place);
          return [];
        }
      });
    },
  };
}

type Text = SourceTurn & { isNote: boolean };

/** Returns undefined for a message with nothing to keep. */
function textIn(id: string, { record, place }: Found, lose: LoseAt): Text | undefined {
  const sender = fieldsOf(record['sender']);
  const type = record['message_type'];
  const kind = typeof type === 'number' ? MESSAGE_TYPES[type] : MESSAGE_TYPES.find((one) => one === type);
  const isNote = record['private'] === true;
  const text = cleanText(textOf(record['content']) ?? '');
  const files = filesIn(record, (what) => lose(what, place));
  if (kind === undefined) {
    lose(`message_type ${textOf(type)}`, place);
    return undefined;
  }
  if (objectsIn(fieldsOf(record['content_attributes'])['items']).length > 0)
    lose(`items of a message of content_type ${textOf(record['content_type'])}`, place);
  if (text.trim() === '' && files.length === 0) {
    lose('message without a text', place);
    return undefined;
  }
  const authorKind: Record<typeof kind, AuthorKind> = {
    incoming: 'visitor',
    outgoing: BOTS.includes(textOf(sender['type']) ?? '') ? 'bot' : 'teammate',
    activity: 'system',
    template: 'bot',
  };
  try {
    const createdAt = requireTime(record['created_at'], 'created_at');
    const authorName = lineOf(sender['available_name'] ?? sender['name'], 200);
    return { ...{ id, authorKind: authorKind[kind], authorName, text, createdAt, files }, isNote };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    lose(`message: ${error.message}`, place);
    return undefined;
  }
}

function filesIn(record: Fields, lose: (what: string) => void): SourceFile[] {
  return objectsIn(record['attachments']).flatMap((attachment) => {
    const url = textOf(attachment['data_url']);
    const type = textOf(attachment['file_type']) ?? 'file';
    if (url === undefined || type === 'location' || type === 'contact') {
      lose(`attachment of file_type ${type}`);
      return [];
    }
    return { name: lineOf(attachment['fallback_title'], 100) ?? fileNameOf(url), url };
  });
}
