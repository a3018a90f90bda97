import type { PageContext, TurnMail } from '@switchboard/contracts';

/** The maximum size of a conversation: far more than people write, and small enough to return whole. */
export const CAPACITY = { turns: 2_000, bytes: 4_000_000 } as const;

/** The length of the longest attachment name in JSON, rounded. */
const ATTACHMENT_BYTES = 1_000;

interface TurnContent {
  body: string;
  pageContext: PageContext | null;
  mail?: TurnMail;
  attachmentIds: readonly string[];
}

/** Returns the bytes of a turn's texts in a response. */
export function turnBytes({ body, pageContext, mail, attachmentIds }: TurnContent): number {
  return (
    Buffer.byteLength(JSON.stringify([body, pageContext, mail])) + attachmentIds.length * ATTACHMENT_BYTES
  );
}
