import type { PageContext } from '@switchboard/contracts';

/** What a conversation holds at most: far more than people write, and little enough to answer whole. */
export const CAPACITY = { turns: 2_000, bytes: 4_000_000 } as const;

/** Longest name of an attachment in JSON, rounded. */
const ATTACHMENT_BYTES = 1_000;

interface TurnContent {
  body: string;
  pageContext: PageContext | null;
  attachmentIds: readonly string[];
}

/** Bytes of a turn's texts in a response. */
export function turnBytes({ body, pageContext, attachmentIds }: TurnContent): number {
  return Buffer.byteLength(JSON.stringify([body, pageContext])) + attachmentIds.length * ATTACHMENT_BYTES;
}
