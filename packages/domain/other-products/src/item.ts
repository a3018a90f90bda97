import type { Fields } from './fields.ts';

/** A message of another product as a call of our API. It is not validated. */
export interface WireItem {
  kind: 'event' | 'identify' | 'group';
  call: Fields;
  /** Whether traits that the person has stay. */
  isOnce?: boolean;
}

/**
 * Counts a part of a message that is not kept. `what` is one of a fixed list of names. `reason` may say more, for the
 * log of rejections.
 */
export type Lose = (what: string, reason?: string) => void;
