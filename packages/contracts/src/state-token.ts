import { ingestionTopics } from './records.ts';

/** Where a call that changes user state stands in the event log. */
export interface StatePosition {
  topic: string;
  partition: number;
  offset: number;
}

const letters: readonly [letter: string, topic: string][] = [
  ['i', ingestionTopics.identifies],
  ['g', ingestionTopics.groups],
];

/** Tokens that one request may show; further ones are not read. */
export const MOST_STATE_TOKENS = 8;
const LONGEST = 300;
const tokenPattern = /^([ig])-([0-9a-z]{1,5})-([0-9a-z]{1,10})$/;

/** The X-State-Token of a stored call: opaque to clients, fit for a URL, at most 18 characters. */
export function stateToken({ topic, partition, offset }: StatePosition): string {
  const [letter] = letters.find(([, name]) => name === topic) ?? [];
  if (letter === undefined) throw new Error(`calls on ${topic} change no user state`);
  return `${letter}-${partition.toString(36)}-${offset.toString(36)}`;
}

/** What the tokens of an X-State-Token header, separated by commas, stand for. What is none is left out. */
export function readStateTokens(header: string): StatePosition[] {
  const tokens = header.slice(0, LONGEST).split(',', MOST_STATE_TOKENS);
  return tokens.map((token) => readToken(token.trim())).filter((position) => position !== undefined);
}

function readToken(token: string): StatePosition | undefined {
  const [, letter, partition = '', offset = ''] = tokenPattern.exec(token) ?? [];
  const topic = letters.find(([known]) => known === letter)?.[1];
  if (topic === undefined) return undefined;
  return { topic, partition: Number.parseInt(partition, 36), offset: Number.parseInt(offset, 36) };
}
