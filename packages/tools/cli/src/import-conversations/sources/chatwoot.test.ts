import { expect, test } from 'vitest';
import { collected } from '../testing/collected.ts';
import { chatwoot } from './chatwoot.ts';

const AT = 1_740_821_400;
const conversation = {
  meta: {
    sender: {
      ...{ id: 7, name: 'Ada Lovelace', email: 'ada@example.com', phone_number: null, identifier: 'user-1' },
      ...{ custom_attributes: { plan: 'pro' }, last_activity_at: AT + 60, type: 'contact' },
    },
    channel: 'Channel::WebWidget',
    assignee: { id: 3, name: 'Grace' },
    hmac_verified: false,
  },
  ...{ id: 12, account_id: 1, uuid: 'b3', status: 'resolved', priority: 'medium', labels: ['refund'] },
  ...{ additional_attributes: { mail_subject: 'Invoice' }, custom_attributes: {}, created_at: AT },
  messages: [],
};
const message = (id: number, type: number, changes: object = {}) => ({
  ...{ id, conversation_id: 12, message_type: type, content: `message ${id}`, content_type: 'text' },
  ...{ created_at: AT + id, private: false, content_attributes: {} },
  ...changes,
});

test('reads a conversation with its person, status, priority and labels', () => {
  const { conversations, lost } = collected(chatwoot, [conversation, message(1, 0)]);
  expect(conversations).toEqual([
    {
      ...{ place: 'export.json:1', id: '1/12', distinctId: 'user-1', email: 'ada@example.com' },
      traits: { plan: 'pro', name: 'Ada Lovelace', email: 'ada@example.com' },
      traitsAt: '2025-03-01T09:31:00.000Z',
      ...{ subject: 'Invoice', status: 'resolved', priority: 'normal', snooze: null, labels: ['refund'] },
      createdAt: '2025-03-01T09:30:00.000Z',
      turns: [
        {
          ...{ id: '1', authorKind: 'visitor', authorName: null, text: 'message 1', files: [] },
          createdAt: '2025-03-01T09:30:01.000Z',
        },
      ],
      notes: [],
    },
  ]);
  expect(lost).toEqual(['assignee: the conversation is assigned to no one']);
});

test('reads the kinds of messages, in order, and each message once', () => {
  const { conversations } = collected(chatwoot, [
    message(5, 3),
    message(4, 2, { content: 'Conversation was resolved by Grace' }),
    message(3, 1, { private: true, sender: { name: 'Grace', type: 'user' } }),
    message(2, 1, { sender: { name: 'Robot', type: 'agent_bot' } }),
    message(1, 1, { sender: { name: 'Grace', type: 'user' } }),
    {
      ...conversation,
      messages: [message(0, 0, { sender: { name: 'Ada', type: 'contact' } }), message(5, 3)],
    },
  ]);
  expect(
    conversations[0]?.turns.map(({ id, authorKind, authorName }) => [id, authorKind, authorName]),
  ).toEqual([
    ['0', 'visitor', 'Ada'],
    ['1', 'teammate', 'Grace'],
    ['2', 'bot', 'Robot'],
    ['4', 'system', null],
    ['5', 'bot', null],
  ]);
  expect(conversations[0]?.notes).toMatchObject([{ id: '3', authorName: 'Grace', text: 'message 3' }]);
});

test('reads files, and names lost parts', () => {
  const { conversations, lost } = collected(chatwoot, [
    { ...conversation, meta: { sender: { id: 7 }, team: { id: 1 } }, status: 'snoozed' },
    message(1, 0, {
      content: null,
      attachments: [
        { file_type: 'image', data_url: 'https://chat.test/rails/blobs/redirect/x/Bill%20March.png?a=1' },
        { file_type: 'location', coordinates_lat: 1 },
      ],
    }),
    message(2, 1, { content: '' }),
    message(3, 0, { content_type: 'cards', content_attributes: { items: [{ title: 'One' }] } }),
    message(4, 0, { conversation_id: 99 }),
  ]);
  expect(conversations[0]).toMatchObject({
    distinctId: 'chatwoot-7',
    traits: {},
    status: 'open',
    snooze: { until: null },
  });
  expect(conversations[0]?.turns[0]).toMatchObject({
    text: '',
    files: [{ name: 'Bill March.png', url: 'https://chat.test/rails/blobs/redirect/x/Bill%20March.png?a=1' }],
  });
  expect(lost).toEqual([
    'messages of a conversation that is not in the files',
    'team',
    'attachment of file_type location',
    'message without a text',
    'items of a message of content_type cards',
  ]);
});

test('says when a list of conversations has only the last message', () => {
  const { lost } = collected(chatwoot, [
    { ...conversation, meta: { sender: { id: 7 } }, messages: [message(900, 0)] },
  ]);
  expect(lost).toEqual([
    'earlier messages: only the last one is in the files; save /conversations/{id}/messages too',
  ]);
});

test('tells accounts apart, and refuses a second one', () => {
  const { conversations, refused } = collected(chatwoot, [
    conversation,
    { ...conversation, id: 13, account_id: 2 },
    message(1, 0, { account_id: 2 }),
  ]);
  expect(conversations.map(({ id }) => id)).toEqual(['1/12']);
  expect(refused).toEqual(Array(2).fill('account_id: another account; import one account at a time'));
});

test('refuses records that are neither conversations nor messages, and conversations without a person', () => {
  const { conversations, refused } = collected(chatwoot, [
    { id: 1, name: 'Ada' },
    { ...conversation, meta: {} },
    { ...conversation, id: 13, status: 'unknown' },
  ]);
  expect(conversations).toEqual([]);
  expect(refused).toEqual([
    'status: neither a conversation nor a message',
    'meta.sender.id: not an id',
    'status: not open, pending, snoozed or resolved',
  ]);
});
