import { setTimeout as sleep } from 'node:timers/promises';
import type { TestConversation, Visitor } from './visitor.ts';

/** Visitors who go on sending turns; each turn is sent again until it is accepted, as a client would. */
export async function sendTurns(visitor: Visitor, people = 8) {
  const conversations: { conversation: TestConversation; accepted: string[] }[] = [];
  const statuses = new Set<number>();
  let slowest = 0;
  let isStopped = false;

  async function speak({ conversation, accepted }: (typeof conversations)[number]): Promise<void> {
    for (let count = 0; !isStopped; count++) {
      const body = `turn ${count}`;
      for (;;) {
        const began = performance.now();
        const { status } = await visitor.send(conversation, body, { 'Idempotency-Key': body });
        slowest = Math.max(slowest, performance.now() - began);
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
  // A test that failed has stopped the service under the load.
  const speaking = conversations.map((one) => speak(one).catch((error: unknown) => error));
  return {
    statuses,
    /** Turns accepted so far. */
    count: () => conversations.reduce((sum, { accepted }) => sum + accepted.length, 0),
    slowestMs: () => slowest,
    /** Ends the load, and answers what was accepted beside what the threads have. */
    async stop() {
      isStopped = true;
      await Promise.all(speaking);
      return Promise.all(
        conversations.map(async ({ conversation, accepted }) => {
          const { body } = await visitor.read(conversation);
          return { accepted, stored: body.turns.map((turn: { body: string }) => turn.body) as string[] };
        }),
      );
    },
  };
}
