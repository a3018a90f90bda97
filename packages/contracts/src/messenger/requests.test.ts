import { describe, expect, test } from 'vitest';
import { appendTurn, conversationRequest, turnRequest } from './conversations.ts';
import { readReceipt } from './inbox.ts';
import { articleSearch, translationRequest } from './settings.ts';

interface Schema {
  safeParse(value: unknown): { error?: { issues: { path: PropertyKey[] }[] } | undefined };
}
const paths = (schema: Schema, value: unknown) =>
  schema.safeParse(value).error?.issues.map(({ path }) => path.join('.')) ?? [];

test('requires exactly on and placement in an article search', () => {
  for (const placement of ['tab', 'first_view', 'while_typing']) {
    expect(paths(articleSearch, { on: true, placement })).toEqual([]);
  }
  expect(paths(articleSearch, { on: true, placement: 'footer' })).toEqual(['placement']);
  expect(paths(articleSearch, { on: true })).toEqual(['placement']);
  expect(paths(articleSearch, { on: true, placement: 'tab', extra: 1 })).toEqual(['']);
});

test('refuses blank ids', () => {
  expect(paths(conversationRequest, { distinctId: ' ' })).toEqual(['distinctId']);
  expect(paths(readReceipt, { message_id: 'm', distinct_id: '\t' })).toEqual(['distinct_id']);
});

describe('a translation', () => {
  const of = (texts: unknown, languages: object = {}) =>
    paths(translationRequest, { from: 'en', to: 'de', texts, ...languages });

  test('accepts 4,000 UTF-8 bytes for each text of a translation', () => {
    expect(of(['é'.repeat(2000)])).toEqual([]);
    expect(of(['ok', `${'é'.repeat(2000)}a`])).toEqual(['texts.1']);
  });

  test('accepts 20,000 UTF-8 bytes in total in a translation', () => {
    expect(of(Array.from({ length: 5 }, () => 'é'.repeat(2000)))).toEqual([]);
    expect(of([...Array.from({ length: 5 }, () => 'é'.repeat(2000)), 'a'])).toEqual(['texts']);
  });

  test('accepts an empty list of texts, and requires a list', () => {
    expect(of([])).toEqual([]);
    expect(of(undefined)).toEqual(['texts']);
  });

  test('requires language tags in a translation', () => {
    expect(of([], { from: 'en_GB' })).toEqual(['from']);
    expect(of([], { to: '' })).toContain('to');
  });
});

describe('a conversation', () => {
  const of = (changes: object) => paths(conversationRequest, { distinctId: 'user-1', ...changes });

  test('requires a distinct id of 1 to 200 characters in a conversation', () => {
    expect(of({ distinctId: '🎉'.repeat(200) })).toEqual([]);
    for (const distinctId of ['', ' ', '🎉'.repeat(201), 'a\0'])
      expect(of({ distinctId })).toEqual(['distinctId']);
  });

  test('refuses a conversation with a userHash but no userId', () => {
    expect(of({ subject: null, userId: null, userHash: null })).toEqual([]);
    expect(of({ userId: 'u', userHash: 'abc' })).toEqual([]);
    expect(of({ userHash: 'abc' })).toEqual(['userHash']);
    expect(of({ userId: null, userHash: 'abc' })).toEqual(['userHash']);
  });
});

describe('a turn', () => {
  const of = (value: object) => paths(turnRequest, value);

  test('requires a text or an attachment in a turn', () => {
    expect(of({ body: 'Hello' })).toEqual([]);
    expect(of({ body: '', attachmentIds: ['att_1'] })).toEqual([]);
    expect(of({ body: '' })).toEqual(['body']);
    expect(of({ body: ' \n', attachmentIds: [] })).toEqual(['body']);
    expect(of({ attachmentIds: ['att_1'] })).toEqual(['body']);
  });

  test('accepts up to 10,000 characters and 3 files in a turn', () => {
    expect(of({ body: '🎉'.repeat(10_000) })).toEqual([]);
    expect(of({ body: '🎉'.repeat(10_001) })).toEqual(['body']);
    expect(of({ body: '', attachmentIds: ['a', 'b', 'c'] })).toEqual([]);
    expect(of({ body: '', attachmentIds: ['a', 'b', 'c', 'd'] })).toContain('attachmentIds');
  });

  test('accepts a complete page context or none in a turn', () => {
    const pageContext = { host: 'h'.repeat(255), path: 'p'.repeat(2048), title: 't'.repeat(500) };
    expect(of({ body: 'x', pageContext })).toEqual([]);
    for (const name of ['host', 'path', 'title'] as const) {
      const longer = { ...pageContext, [name]: `${pageContext[name]}x` };
      expect(of({ body: 'x', pageContext: longer })).toEqual([`pageContext.${name}`]);
      expect(of({ body: 'x', pageContext: { ...pageContext, [name]: undefined } })).toEqual([
        `pageContext.${name}`,
      ]);
    }
  });

  test('accepts an Idempotency-Key of up to 200 characters with a turn', () => {
    const { headers } = appendTurn.request;
    expect(paths(headers, { 'Idempotency-Key': 'k'.repeat(200) })).toEqual([]);
    expect(paths(headers, { 'Idempotency-Key': 'k'.repeat(201) })).toEqual(['Idempotency-Key']);
    expect(paths(headers, {})).toEqual([]);
  });
});
