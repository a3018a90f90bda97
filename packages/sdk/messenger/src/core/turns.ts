import { avatarPath } from './config.ts';
import { isObject, listOf, textOf } from './values.ts';

/** A file of a turn. */
export interface FileOfTurn {
  id: string;
  name: string;
  contentType: string;
  bytes: number;
}

export interface Turn {
  id: string;
  kind: 'visitor' | 'teammate' | 'bot' | 'system';
  body: string;
  at: number;
  author: string;
  /** Path of the avatar endpoint. */
  avatarUrl: string | undefined;
  files: FileOfTurn[];
}

/** Parses an external turn. Returns undefined if it is invalid. */
export function parseTurn(value: unknown): Turn | undefined {
  if (!isObject(value) || typeof value['id'] !== 'string') return undefined;
  const kind = value['authorKind'];
  return {
    id: value['id'],
    kind: kind === 'visitor' || kind === 'bot' || kind === 'system' ? kind : 'teammate',
    body: textOf(value['body']),
    at: Date.parse(textOf(value['createdAt'])) || Date.now(),
    author: textOf(value['authorName']),
    avatarUrl: avatarPath(value['authorAvatarUrl']),
    files: listOf(value['attachments']).flatMap((one) => parseFile(one) ?? []),
  };
}

export function parseFile(value: unknown): FileOfTurn | undefined {
  if (!isObject(value) || typeof value['id'] !== 'string') return undefined;
  const { id, name, contentType, bytes } = value;
  return {
    id,
    name: textOf(name) || 'file',
    contentType: textOf(contentType),
    bytes: typeof bytes === 'number' ? bytes : 0,
  };
}

/** Merges both lists, each turn once, oldest first. Returns the same array if there is nothing new. */
export function merged(known: readonly Turn[], more: readonly Turn[]): readonly Turn[] {
  const ids = new Set(known.map(({ id }) => id));
  const added = more.filter(({ id }) => !ids.has(id));
  return added.length === 0 ? known : [...known, ...added].sort((a, b) => a.at - b.at);
}
