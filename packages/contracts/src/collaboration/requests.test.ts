import { describe, expect, test } from 'vitest';
import { annotationDefinition, listAnnotations } from './annotations.ts';
import { commentRequest, threadRequest } from './comments.ts';
import { publicLinkDefinition } from './public-links.ts';
import { shareRequest } from './shares.ts';
import { reactionEmojiParam } from './threads.ts';

interface Schema {
  safeParse(value: unknown): { error?: { issues: { path: PropertyKey[] }[] } | undefined };
}
const paths = (schema: Schema, value: unknown) =>
  schema.safeParse(value).error?.issues.map(({ path }) => path.join('.')) ?? [];

const annotation = { startsOn: '2026-03-01', text: 'Launch', tags: ['release'] };
const share = { recipients: ['sub-1'], link: 'https://console.example.com', language: 'en' };

test.each<[string, Schema, object]>([
  ['an annotation', annotationDefinition, annotation],
  ['a public link', publicLinkDefinition, { expiresOn: '2026-04-01' }],
  ['a share', shareRequest, share],
  ['a comment', commentRequest, { body: 'Hm' }],
  ['a thread', threadRequest, { body: 'Hm' }],
])('%s accepts no other properties', (_, schema, body) => {
  expect(paths(schema, body)).toEqual([]);
  expect(paths(schema, { ...body, extra: 1 })).toEqual(['']);
});

describe('an annotation', () => {
  const of = (changes: object) => paths(annotationDefinition, { ...annotation, ...changes });

  test('requires a text of 1 to 200 characters in an annotation', () => {
    expect(of({ text: '🎉'.repeat(200) })).toEqual([]);
    for (const text of ['🎉'.repeat(201), '', '   ', 'a\0']) expect(of({ text })).toContain('text');
  });

  test('requires 1 to 10 tags of 1 to 50 characters in an annotation', () => {
    const tags = (count: number) => Array.from({ length: count }, (_, index) => `tag ${index}`);
    expect(of({ tags: tags(10) })).toEqual([]);
    expect(of({ tags: tags(11) })).toEqual(['tags']);
    expect(of({ tags: [] })).toEqual(['tags']);
    expect(of({ tags: ['é'.repeat(50)] })).toEqual([]);
    expect(of({ tags: ['é'.repeat(51)] })).toEqual(['tags.0']);
  });

  test('requires an annotation to end on or after the day on which it starts, on days that exist', () => {
    expect(of({ endsOn: '2026-03-01' })).toEqual([]);
    expect(of({ endsOn: '2026-02-28' })).toEqual(['endsOn']);
    expect(of({ startsOn: '2026-02-30' })).toEqual(['startsOn']);
  });

  test('applies an annotation to the whole project if reportId is null or absent', () => {
    expect(of({ reportId: null })).toEqual([]);
  });
});

test('refuses a range of annotations that ends before it starts', () => {
  const { query } = listAnnotations.request;
  expect(paths(query, { from: '2026-03-01', to: '2026-03-01' })).toEqual([]);
  expect(paths(query, { from: '2026-03-02', to: '2026-03-01' })).toEqual(['to']);
  expect(paths(query, { from: '2026-03-02' })).toEqual(['to']);
});

describe('a share', () => {
  const of = (changes: object) => paths(shareRequest, { ...share, ...changes });

  test('accepts 1 to 20 recipients of a share', () => {
    const recipients = (count: number) => Array.from({ length: count }, (_, index) => `sub-${index}`);
    expect(of({ recipients: recipients(20) })).toEqual([]);
    expect(of({ recipients: recipients(21) })).toEqual(['recipients']);
    expect(of({ recipients: [] })).toEqual(['recipients']);
  });

  test('accepts a note of up to 1,000 characters with a share', () => {
    for (const note of [null, '', '🎉'.repeat(1000)]) expect(of({ note })).toEqual([]);
    expect(of({ note: '🎉'.repeat(1001) })).toEqual(['note']);
  });

  test('requires a valid language for a share', () => {
    expect(of({ language: 'tlh' })).toEqual([]);
    expect(of({ language: 'english please' })).toEqual(['language']);
  });
});

describe('a comment', () => {
  const of = (changes: object) => paths(threadRequest, { body: 'Hm', ...changes });

  test('accepts a comment of 1 to 10,000 characters', () => {
    expect(of({ body: '漢'.repeat(10_000) })).toEqual([]);
    for (const body of ['漢'.repeat(10_001), '', '\n', 'a\0']) expect(of({ body })).toContain('body');
  });

  test('accepts mentions of up to 20 members in a comment', () => {
    const mentions = (count: number) => Array.from({ length: count }, (_, index) => `sub-${index}`);
    expect(of({ mentions: null })).toEqual([]);
    expect(of({ mentions: mentions(20) })).toEqual([]);
    expect(of({ mentions: mentions(21) })).toEqual(['mentions']);
  });

  test('accepts only the listed fields in the anchor of a comment, each nullable', () => {
    const names = [
      'metric',
      'bucket',
      'breakdown',
      'step',
      'event',
      'cohortBucket',
      'period',
      'daysActive',
      'state',
    ];
    expect(of({ anchor: null })).toEqual([]);
    expect(of({ anchor: {} })).toEqual([]);
    expect(of({ anchor: Object.fromEntries(names.map((name) => [name, null])) })).toEqual([]);
    expect(of({ anchor: { colour: 'red' } })).toEqual(['anchor']);
  });

  test.each(['step', 'period', 'daysActive'])('requires an unsigned 32-bit %s in an anchor', (name) => {
    expect(of({ anchor: { [name]: 4_294_967_295 } })).toEqual([]);
    for (const value of [4_294_967_296, -1, 1.5, '1']) {
      expect(of({ anchor: { [name]: value } })).toEqual([`anchor.${name}`]);
    }
  });

  test('accepts a breakdown of up to 20 values of up to 200 characters in an anchor', () => {
    expect(of({ anchor: { breakdown: Array.from({ length: 20 }, () => 'x'.repeat(200)) } })).toEqual([]);
    expect(of({ anchor: { breakdown: Array.from({ length: 21 }, () => 'x') } })).toEqual([
      'anchor.breakdown',
    ]);
    expect(of({ anchor: { breakdown: ['x'.repeat(201)] } })).toEqual(['anchor.breakdown.0']);
  });
});

describe('a reaction', () => {
  test.each(['👍', '❤️', '🎯', '🎉', '🤔', '👀'])(
    'accepts the reaction %s, with or without U+FE0F',
    (emoji) => {
      const bare = emoji.replace('\uFE0F', '');
      expect(reactionEmojiParam.parse(bare)).toBe(emoji);
      expect(reactionEmojiParam.parse(`${bare}\uFE0F`)).toBe(emoji);
    },
  );

  test.each(['👎', '', '👍🏽', 'heart', '👍👍', '\uFE0F'])('refuses the reaction %j', (emoji) => {
    expect(reactionEmojiParam.safeParse(emoji).success).toBe(false);
  });
});
