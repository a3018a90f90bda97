import {
  CONVERSATION_IMPORT_LIMITS,
  type ConversationToImport,
  codePoints,
  SUPPORT_LIMITS,
} from '@switchboard/contracts';
import type { SourceConversation, SourceFile, SourceText } from '../sources/source.ts';

type Turn = ConversationToImport['turns'][number];

/** A conversation as it is sent, with the files of its turns by the external id of the turn. */
export interface Shaped {
  source: SourceConversation;
  body: ConversationToImport;
  files: Map<string, SourceFile[]>;
}

/** Leaves space for the names of files that are not kept. */
const TURN_CHARACTERS = 8_000;
const NOTE_CHARACTERS = 4_000;
/** Less than a request may have. */
const MAX_CONVERSATION_BYTES = 7_000_000;

/** Returns a conversation as it is sent. Long texts become several turns. */
export function shape(
  source: SourceConversation,
  labelIds: ReadonlyMap<string, string>,
  lose: (what: string) => void,
): Shaped {
  const { id: externalId, distinctId, email, subject, status, snooze, priority, createdAt } = source;
  const files = new Map<string, SourceFile[]>();
  const turns = source.turns.flatMap(({ authorKind, ...text }): Turn[] => {
    const kept = text.files.slice(0, CONVERSATION_IMPORT_LIMITS.attachmentsOfTurn);
    const left = text.files.slice(kept.length);
    for (const _ of left) lose('attachment: the turn has too many');
    const parts = partsOf(text, TURN_CHARACTERS).map((part) => ({ ...part, authorKind }));
    const last = parts.at(-1);
    if (last === undefined) return [];
    if (left.length > 0) last.body = withLines(last.body, left, 10_000);
    if (kept.length > 0) files.set(last.externalId, kept);
    return parts.map((part) => ({ ...part, attachmentIds: part === last && kept.length > 0 ? null : [] }));
  });
  const notes = source.notes.flatMap((text) => {
    const parts = partsOf(text, NOTE_CHARACTERS);
    for (const _ of text.files) lose('attachment of a note');
    const last = parts.at(-1);
    if (last !== undefined && text.files.length > 0)
      last.body = withLines(last.body, text.files, SUPPORT_LIMITS.noteCharacters).trim();
    return parts;
  });
  const labels = source.labels.flatMap((name) => labelIds.get(name.toLowerCase()) ?? []);
  const ids = [...new Set(labels)];
  for (const _ of ids.slice(SUPPORT_LIMITS.labelsOfConversation))
    lose('label: the conversation has too many');
  return {
    source,
    files,
    body: {
      ...{ externalId, distinctId, email, subject, status, snooze, priority, createdAt },
      labelIds: ids.slice(0, SUPPORT_LIMITS.labelsOfConversation),
      turns: fitting(turns, CONVERSATION_IMPORT_LIMITS.turns, lose),
      notes: fitting(notes, CONVERSATION_IMPORT_LIMITS.notes, lose),
    },
  };
}

/** Returns a text with a line for each file that is not kept, at most `max` characters. */
export function withLines(
  body: string,
  files: readonly { name: string; reason?: string }[],
  max: number,
): string {
  const lines = files.map(({ name, reason }) => `[${name}: not imported${reason ? `, ${reason}` : ''}]`);
  return [...[body, ...lines].filter((line) => line.trim() !== '').join('\n')].slice(0, max).join('');
}

/** Divides a text into parts with external ids of their own. The first one has that of the text. */
function partsOf({ id, authorName, text, createdAt }: SourceText, max: number) {
  const parts: { externalId: string; authorName: string | null; body: string; createdAt: string }[] = [];
  let rest = text;
  do {
    const body = codePoints(rest) <= max ? rest : [...rest].slice(0, max).join('');
    rest = rest.slice(body.length);
    const externalId = parts.length === 0 ? id : `${id}/${parts.length + 1}`;
    // A part of white space alone is no turn.
    if (body.trim() !== '' || text.trim() === '') parts.push({ externalId, authorName, body, createdAt });
  } while (rest !== '');
  return parts;
}

function fitting<T>(texts: readonly T[], max: number, lose: (what: string) => void): T[] {
  let bytes = 0;
  const kept = texts.slice(0, max).filter((text) => {
    bytes += Buffer.byteLength(JSON.stringify(text));
    return bytes <= MAX_CONVERSATION_BYTES;
  });
  for (const _ of texts.slice(kept.length)) lose('turn or note: the conversation is full');
  return kept;
}
