import { ingestionTopics } from './records.ts';

/** The position in the event log of a call that changes user state. */
export interface StatePosition {
  topic: string;
  partition: number;
  offset: number;
}

const letters: readonly [letter: string, topic: string][] = [
  ['i', ingestionTopics.identifies],
  ['g', ingestionTopics.groups],
];

/** The maximum number of tokens read from one request. Further ones are ignored. */
export const MAX_STATE_TOKENS = 8;
const MAX_HEADER_LENGTH = 300;
const TOKEN = /^([ig])-([0-9a-z]{1,5})-([0-9a-z]{1,10})$/;

/** Returns the X-State-Token of a stored call: opaque to clients, URL-safe, at most 18 characters. */
export function stateToken({ topic, partition, offset }: StatePosition): string {
  const [letter] = letters.find(([, name]) => name === topic) ?? [];
  if (letter === undefined)
    throw new Error(`no state token for topic ${topic}: its records change no user state`);
  return `${letter}-${partition.toString(36)}-${offset.toString(36)}`;
}

/** Returns the positions of the comma-separated tokens of an X-State-Token header. Ignores invalid tokens. */
export function readStateTokens(header: string): StatePosition[] {
  const tokens = header.slice(0, MAX_HEADER_LENGTH).split(',', MAX_STATE_TOKENS);
  return tokens.map((token) => readToken(token.trim())).filter((position) => position !== undefined);
}

function readToken(token: string): StatePosition | undefined {
  const [, letter, partition = '', offset = ''] = TOKEN.exec(token) ?? [];
  const topic = letters.find(([known]) => known === letter)?.[1];
  if (topic === undefined) return undefined;
  return { topic, partition: Number.parseInt(partition, 36), offset: Number.parseInt(offset, 36) };
}
