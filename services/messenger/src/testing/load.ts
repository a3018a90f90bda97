import { setTimeout as sleep } from 'node:timers/promises';
import type { TestConversation, Visitor } from './visitor.ts';

/** Starts visitors who send turns until stopped. Each turn is retried until it is accepted, as a client would. */
export async function sendTurns(visitor: Visitor, people = 8) {
  const conversations: { conversation: TestConversation; accepted: string[] }[] = [];
  const statuses = new Set<number>();
  let isStopped = false;

  async function sendUntilStopped({ conversation, accepted }: (typeof conversations)[number]): Promise<void> {
    for (let count = 0; !isStopped; count++) {
      const body = `turn ${count}`;
      for (;;) {
        const { status } = await visitor.send(conversation, body, { 'Idempotency-Key': body });
        statuses.add(status);
        if (status === 201) {
          accepted.push(body);
          break;
        }
        await sleep(20);
      }
      await sleep(10);
    }
  }

  for (let count = 0; count < people; count++) {
    conversations.push({ conversation: await visitor.open(), accepted: [] });
  }
  // A failed test may have stopped the service already.
  const sending = conversations.map((one) => sendUntilStopped(one).catch((error: unknown) => error));
  return {
    statuses,
    /** Returns the number of turns accepted so far. */
    count: () => conversations.reduce((sum, { accepted }) => sum + accepted.length, 0),
    /** Stops the load. Returns the accepted turns of each conversation and the stored ones. */
    async stop() {
      isStopped = true;
      await Promise.all(sending);
      return Promise.all(
        conversations.map(async ({ conversation, accepted }) => {
          const { body } = await visitor.read(conversation);
          return { accepted, stored: body.turns.map((turn: { body: string }) => turn.body) as string[] };
        }),
      );
    },
  };
}
