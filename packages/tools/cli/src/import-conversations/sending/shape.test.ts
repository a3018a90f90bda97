import { conversationToImport } from '@switchboard/contracts';
import { expect, test } from 'vitest';
import type { SourceConversation, SourceText } from '../sources/source.ts';
import { shape, withLines } from './shape.ts';

const AT = '2025-03-01T09:30:00.000Z';
const text = (id: string, body: string, changes: Partial<SourceText> = {}): SourceText => ({
  ...{ id, text: body, authorName: null, createdAt: AT, files: [] },
  ...changes,
});
const file = (name: string) => ({ name, url: `https://files.test/${name}` });
const conversation = (changes: Partial<SourceConversation>): SourceConversation => ({
  ...{ place: 'x:1', id: '12', distinctId: 'ada', traits: {}, traitsAt: AT, email: null, subject: null },
  ...{ status: 'open', snooze: null, priority: 'normal', labels: [], createdAt: AT, turns: [], notes: [] },
  ...changes,
});

function shaped(changes: Partial<SourceConversation>, labels = new Map<string, string>()) {
  const lost: string[] = [];
  const { body, files } = shape(conversation(changes), labels, (what) => lost.push(what));
  expect(conversationToImport.safeParse(body).error?.issues).toBeUndefined();
  return { body, files, lost };
}

test('divides long texts into turns, the last of which waits for the files', () => {
  const long = `${'😀'.repeat(8_000)}${'b'.repeat(8_000)}c`;
  const { body, files, lost } = shaped({
    turns: [{ ...text('1', long, { files: [file('a.png')] }), authorKind: 'visitor' }],
  });
  expect(body.turns.map(({ externalId, attachmentIds }) => [externalId, attachmentIds])).toEqual([
    ['1', []],
    ['1/2', []],
    ['1/3', null],
  ]);
  expect(body.turns.map((turn) => turn.body).join('')).toBe(long);
  expect([...files]).toEqual([['1/3', [file('a.png')]]]);
  expect(lost).toEqual([]);
});

test('names files of notes, files past the limit, and what a conversation does not hold', () => {
  const many = Array.from({ length: 21 }, (_, index) => file(`${index}.png`));
  const { body, lost } = shaped({
    turns: [
      { ...text('1', '', { files: many }), authorKind: 'visitor' },
      ...Array.from({ length: 2_000 }, (_, index) => ({
        ...text(`t${index}`, 'x'),
        authorKind: 'bot' as const,
      })),
    ],
    notes: [text('n', '', { files: [file('secret.pdf')] })],
  });
  expect(body.turns[0]?.body).toBe('[20.png: not imported]');
  expect(body.notes).toMatchObject([{ body: '[secret.pdf: not imported]' }]);
  expect(body.turns).toHaveLength(2_000);
  expect(lost).toEqual([
    'attachment: the turn has too many',
    'attachment of a note',
    'turn or note: the conversation is full',
  ]);
});

test('uses the labels of the project', () => {
  const labels = new Map([['refund', 'l1']]);
  expect(shaped({ labels: ['Refund', 'refund', 'unknown'] }, labels).body.labelIds).toEqual(['l1']);
});

test('cuts a text with the names of files to the size of a turn', () => {
  const lines = withLines('x'.repeat(95), [{ name: 'a.png', reason: 'gone' }], 100);
  expect(lines).toBe(`${'x'.repeat(95)}\n[a.p`);
});
