import { describe, expect, test } from 'vitest';
import { appendTurn, conversationRequest, turnRequest } from './conversations.ts';
import { readReceipt } from './inbox.ts';
import { articleSearch, translationRequest } from './settings.ts';

interface Schema {
  safeParse(value: unknown): { error?: { issues: { path: PropertyKey[] }[] } | undefined };
}
const paths = (schema: Schema, value: unknown) =>
  schema.safeParse(value).error?.issues.map(({ path }) => path.join('.')) ?? [];

test('article search has exactly on and placement', () => {
  for (const placement of ['tab', 'first_view', 'while_typing']) {
    expect(paths(articleSearch, { on: true, placement })).toEqual([]);
  }
  expect(paths(articleSearch, { on: true, placement: 'footer' })).toEqual(['placement']);
  expect(paths(articleSearch, { on: true })).toEqual(['placement']);
  expect(paths(articleSearch, { on: true, placement: 'tab', extra: 1 })).toEqual(['']);
});

test('ids are not blank', () => {
  expect(paths(conversationRequest, { distinctId: ' ' })).toEqual(['distinctId']);
  expect(paths(readReceipt, { message_id: 'm', distinct_id: '\t' })).toEqual(['distinct_id']);
});

describe('a translation', () => {
  const of = (texts: unknown, languages: object = {}) =>
    paths(translationRequest, { from: 'en', to: 'de', texts, ...languages });

  test('accepts 4,000 UTF-8 bytes per text', () => {
    expect(of(['é'.repeat(2000)])).toEqual([]);
    expect(of(['ok', `${'é'.repeat(2000)}a`])).toEqual(['texts.1']);
  });

  test('accepts 20,000 UTF-8 bytes in total', () => {
    expect(of(Array.from({ length: 5 }, () => 'é'.repeat(2000)))).toEqual([]);
    expect(of([...Array.from({ length: 5 }, () => 'é'.repeat(2000)), 'a'])).toEqual(['texts']);
  });

  test('accepts an empty list, but requires one', () => {
    expect(of([])).toEqual([]);
    expect(of(undefined)).toEqual(['texts']);
  });

  test('is between language tags', () => {
    expect(of([], { from: 'en_GB' })).toEqual(['from']);
    expect(of([], { to: '' })).toContain('to');
  });
});

describe('a conversation', () => {
  const of = (changes: object) => paths(conversationRequest, { distinctId: 'user-1', ...changes });

  test('needs a distinct id of 1 to 200 characters', () => {
    expect(of({ distinctId: '🎉'.repeat(200) })).toEqual([]);
    for (const distinctId of ['', ' ', '🎉'.repeat(201), 'a\0'])
      expect(of({ distinctId })).toEqual(['distinctId']);
  });

  test('has no userHash without a userId', () => {
    expect(of({ subject: null, userId: null, userHash: null })).toEqual([]);
    expect(of({ userId: 'u', userHash: 'abc' })).toEqual([]);
    expect(of({ userHash: 'abc' })).toEqual(['userHash']);
    expect(of({ userId: null, userHash: 'abc' })).toEqual(['userHash']);
  });
});

describe('a turn', () => {
  const of = (value: object) => paths(turnRequest, value);

  test('has a text or an attachment', () => {
    expect(of({ body: 'Hello' })).toEqual([]);
    expect(of({ body: '', attachmentIds: ['att_1'] })).toEqual([]);
    expect(of({ body: '' })).toEqual(['body']);
    expect(of({ body: ' \n', attachmentIds: [] })).toEqual(['body']);
    expect(of({ attachmentIds: ['att_1'] })).toEqual(['body']);
  });

  test('has up to 10,000 characters and 3 files', () => {
    expect(of({ body: '🎉'.repeat(10_000) })).toEqual([]);
    expect(of({ body: '🎉'.repeat(10_001) })).toEqual(['body']);
    expect(of({ body: '', attachmentIds: ['a', 'b', 'c'] })).toEqual([]);
    expect(of({ body: '', attachmentIds: ['a', 'b', 'c', 'd'] })).toContain('attachmentIds');
  });

  test('has a whole page context or none', () => {
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

  test('has an Idempotency-Key of up to 200 characters', () => {
    const { headers } = appendTurn.request;
    expect(paths(headers, { 'Idempotency-Key': 'k'.repeat(200) })).toEqual([]);
    expect(paths(headers, { 'Idempotency-Key': 'k'.repeat(201) })).toEqual(['Idempotency-Key']);
    expect(paths(headers, {})).toEqual([]);
  });
});
