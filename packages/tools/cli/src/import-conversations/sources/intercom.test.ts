import { expect, test } from 'vitest';
import { collected } from '../testing/collected.ts';
import { intercom } from './intercom.ts';

const AT = 1_740_821_400;
const part = (id: string, changes: object = {}) => ({
  ...{ type: 'conversation_part', id, part_type: 'comment', body: `<p>part ${id}</p>`, attachments: [] },
  ...{
    created_at: AT + Number(id),
    author: { type: 'admin', id: '3', name: 'Grace', email: 'g@example.com' },
  },
  ...changes,
});
const conversation = (parts: object[] = [], changes: object = {}) => ({
  ...{ type: 'conversation', id: '215', created_at: AT, state: 'closed', open: false, priority: 'priority' },
  title: null,
  source: {
    ...{ type: 'conversation', id: '403', subject: '<p>Invoice</p>', attachments: [] },
    body: '<p>Hello,</p><p>I was <b>charged</b> <a href="https://shop.test/i/1">twice</a>.<br>Bye</p>',
    author: { type: 'user', id: 'c1', name: 'Ada', email: 'ada@example.com' },
  },
  contacts: { type: 'contact.list', contacts: [{ type: 'contact', id: 'c1', external_id: 'user-1' }] },
  tags: { type: 'tag.list', tags: [{ type: 'tag', id: '1', name: 'Refund' }] },
  conversation_parts: {
    ...{ type: 'conversation_part.list', conversation_parts: parts, total_count: parts.length },
  },
  ...changes,
});
const contact = {
  ...{ type: 'contact', id: 'c1', external_id: 'user-1', role: 'user', email: 'ada@example.com' },
  ...{ name: 'Ada Lovelace', phone: null, updated_at: AT + 60, custom_attributes: { plan: 'pro' } },
};

test('reads a conversation with its contact, and HTML as text with the addresses of links', () => {
  const { conversations, lost } = collected(intercom, [contact, conversation([part('1')])]);
  expect(lost).toEqual([]);
  expect(conversations).toEqual([
    {
      ...{ place: 'export.json:2', id: '215', distinctId: 'user-1', email: 'ada@example.com' },
      traits: { plan: 'pro', name: 'Ada Lovelace', email: 'ada@example.com' },
      traitsAt: '2025-03-01T09:31:00.000Z',
      ...{ subject: 'Invoice', status: 'resolved', priority: 'high', snooze: null, labels: ['Refund'] },
      createdAt: '2025-03-01T09:30:00.000Z',
      turns: [
        {
          ...{ id: 'source', authorKind: 'visitor', authorName: 'Ada', files: [] },
          text: 'Hello,\n\nI was charged twice (https://shop.test/i/1).\nBye',
          createdAt: '2025-03-01T09:30:00.000Z',
        },
        {
          ...{ id: '1', authorKind: 'teammate', authorName: 'Grace', text: 'part 1', files: [] },
          createdAt: '2025-03-01T09:30:01.000Z',
        },
      ],
      notes: [],
    },
  ]);
});

test('reads notes, bots, replies that close, and pictures in the text', () => {
  const { conversations, lost } = collected(intercom, [
    conversation([
      part('1', { part_type: 'note' }),
      part('2', { author: { type: 'bot', id: '9', name: 'Fin' } }),
      part('3', { part_type: 'assignment', body: null }),
      part('4', { part_type: 'close', body: '<p>Done.</p>' }),
      part('5', {
        body: '<img src="https://cdn.test/a.png">',
        attachments: [{ name: 'b.pdf', url: 'https://cdn.test/b' }],
      }),
      part('6', { body: null, redacted: true }),
    ]),
  ]);
  const [one] = conversations;
  expect(one?.notes).toMatchObject([{ id: '1', text: 'part 1', authorName: 'Grace' }]);
  expect(one?.turns.slice(1)).toMatchObject([
    { id: '2', authorKind: 'bot', authorName: 'Fin' },
    { id: '4', authorKind: 'teammate', text: 'Done.' },
    {
      ...{ id: '5', text: '' },
      files: [
        { name: 'a.png', url: 'https://cdn.test/a.png' },
        { name: 'b.pdf', url: 'https://cdn.test/b' },
      ],
    },
  ]);
  expect(lost).toEqual(['part of part_type assignment without a text', 'redacted part']);
});

test('markup that people wrote as text stays text, and scripts go', () => {
  const body = '<p>&lt;img src=x onerror=alert(1)&gt;</p><script>alert(2)</script>';
  const { conversations } = collected(intercom, [conversation([part('1', { body })])]);
  expect(conversations[0]?.turns[1]?.text).toBe('<img src=x onerror=alert(1)>');
});

test('names the lost parts of a conversation, and takes its person from the first message', () => {
  const { conversations, lost } = collected(intercom, [
    conversation([], {
      ...{ contacts: undefined, state: 'snoozed', snoozed_until: 1_772_356_200 },
      ...{ admin_assignee_id: 5, custom_attributes: { a: 1 } },
      conversation_parts: { conversation_parts: [], total_count: 700 },
    }),
    conversation([], {
      id: '216',
      conversation_parts: undefined,
      contacts: { contacts: [{ id: 'c1' }, { id: 'c2' }] },
    }),
  ]);
  expect(conversations[0]).toMatchObject({
    distinctId: 'intercom-c1',
    status: 'open',
    snooze: { until: '2026-03-01T09:10:00.000Z' },
  });
  expect(lost).toEqual([
    'admin_assignee_id: the conversation is assigned to no one',
    'custom_attributes',
    'earlier parts: Intercom returns the last 500 of a conversation',
    'other contacts of the conversation',
    'conversation_parts: not in the files; save GET /conversations/{id}',
  ]);
});

test('refuses records that are neither conversations nor contacts', () => {
  const { refused } = collected(intercom, [{ id: '1', name: 'x' }, { type: 'admin' }]);
  expect(refused).toEqual(['source: neither a conversation nor a contact', 'id: not an id']);
});
