import { type Fields, fieldsOf, textOf } from '@switchboard/other-products';
import { textOfHtml } from '@switchboard/other-products/html';
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
  snoozed: 'open',
  closed: 'resolved',
};
const AUTHORS: Readonly<Record<string, AuthorKind>> = {
  user: 'visitor',
  lead: 'visitor',
  contact: 'visitor',
  admin: 'teammate',
  team: 'teammate',
  bot: 'bot',
};
const MAX_TEXT = 1_000_000;

interface Found {
  record: Fields;
  place: string;
}

/**
 * Reads what Intercom's API answers for single conversations and for contacts:
 * https://developers.intercom.com/docs/references/rest-api/api.intercom.io/conversations.
 */
export function intercom(lose: LoseAt): Collector {
  const conversations = new Map<string, Found>();
  const contacts = new Map<string, Fields>();

  function convert(id: string, { record, place }: Found): SourceConversation {
    const losing = (what: string) => lose(what, place);
    const state = textOf(record['state']) ?? (record['open'] === false ? 'closed' : 'open');
    const status = Object.hasOwn(STATUSES, state) ? STATUSES[state] : undefined;
    if (status === undefined) throw new Refused('state: not open, snoozed or closed');
    const createdAt = requireTime(record['created_at'], 'created_at');
    const [named, ...others] = objectsIn(fieldsOf(record['contacts'])['contacts']);
    const source = fieldsOf(record['source']);
    const author = fieldsOf(source['author']);
    const contactId = requireId(
      named?.['id'] ?? (AUTHORS[textOf(author['type']) ?? ''] === 'visitor' ? author['id'] : undefined),
      'contacts',
    );
    const contact = { ...(author['id'] === contactId && author), ...named, ...contacts.get(contactId) };
    if (others.length > 0) losing('other contacts of the conversation');
    for (const field of ['admin_assignee_id', 'team_assignee_id'] as const)
      if (record[field] != null && record[field] !== 0)
        losing(`${field}: the conversation is assigned to no one`);
    if (Object.keys(fieldsOf(record['custom_attributes'])).length > 0) losing('custom_attributes');
    if (fieldsOf(record['conversation_rating'])['rating'] != null) losing('conversation_rating');
    const { email = null, name, phone, custom_attributes: custom } = contact;
    const texts = [
      textIn({ ...source, id: 'source', part_type: 'source', created_at: record['created_at'] }, place, lose),
      ...partsOf(record, losing).map((part) => textIn(part, place, lose)),
    ].filter((one) => one !== undefined);
    return {
      ...{ place, id, createdAt, status },
      snooze: state === 'snoozed' ? snoozeOf(record) : null,
      distinctId:
        lineOf(contact['external_id'], 200) ?? lineOf(contact['user_id'], 200) ?? `intercom-${contactId}`,
      traits: traitsOf({ ...fieldsOf(custom), name, email, phone }),
      traitsAt: requireTime(
        contact['last_seen_at'] ?? contact['updated_at'] ?? contact['created_at'] ?? createdAt,
        'contacts',
      ),
      email: emailOf(email),
      subject: lineOf(record['title'], 200) ?? lineOf(plain(source['subject'] ?? ''), 200),
      priority: record['priority'] === 'priority' ? 'high' : 'normal',
      labels: objectsIn(fieldsOf(record['tags'])['tags']).flatMap(({ name: label }) => textOf(label) ?? []),
      turns: texts.flatMap(({ isNote, ...turn }) => (isNote ? [] : turn)),
      notes: texts.flatMap(({ isNote, authorKind: _, ...note }): SourceText[] => (isNote ? [note] : [])),
    };
  }

  return {
    add(record, place) {
      const id = requireId(record['id'], 'id');
      if ('source' in record || 'conversation_parts' in record) conversations.set(id, { record, place });
      else if ('role' in record || 'external_id' in record || 'email' in record) contacts.set(id, record);
      else throw new Refused('source: neither a conversation nor a contact');
    },
    conversations(refuse) {
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

function partsOf(record: Fields, losing: (what: string) => void): Fields[] {
  if (record['conversation_parts'] == null) {
    losing('conversation_parts: not in the files; save GET /conversations/{id}');
    return [];
  }
  const { conversation_parts: parts, total_count: total } = fieldsOf(record['conversation_parts']);
  const found = objectsIn(parts);
  if (typeof total === 'number' && total > found.length)
    losing('earlier parts: Intercom returns the last 500 of a conversation');
  return found;
}

type Text = SourceTurn & { isNote: boolean };

/** Returns undefined for a part with nothing to keep, such as an assignment. */
function textIn(part: Fields, place: string, lose: LoseAt): Text | undefined {
  const type = textOf(part['part_type']) ?? 'comment';
  const author = fieldsOf(part['author']);
  const pictures: SourceFile[] = [];
  const html = textOf(part['body']) ?? '';
  const text = cleanText(
    textOfHtml(html, MAX_TEXT, {
      hasLinks: true,
      onPicture: (url) => pictures.push({ name: fileNameOf(url), url }),
    }),
  );
  const attached = objectsIn(part['attachments']).flatMap((file): SourceFile[] => {
    const url = textOf(file['url']);
    if (url !== undefined) return [{ name: lineOf(file['name'], 100) ?? fileNameOf(url), url }];
    lose('attachment without a url', place);
    return [];
  });
  const files = [...new Map([...pictures, ...attached].map((file) => [file.url, file])).values()];
  if (text === '' && files.length === 0) {
    if (part['redacted'] === true) lose('redacted part', place);
    else if (type !== 'source') lose(`part of part_type ${type} without a text`, place);
    return undefined;
  }
  const authorKind = AUTHORS[textOf(author['type']) ?? ''];
  if (authorKind === undefined) {
    lose(`part of author.type ${textOf(author['type'])}`, place);
    return undefined;
  }
  try {
    return {
      ...{ id: requireId(part['id'], 'id'), authorKind, text, files },
      authorName: lineOf(author['name'], 200),
      createdAt: requireTime(part['created_at'], 'created_at'),
      isNote: /note/.test(type),
    };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    lose(`part: ${error.message}`, place);
    return undefined;
  }
}

const plain = (html: unknown) => textOfHtml(textOf(html) ?? '', MAX_TEXT);
