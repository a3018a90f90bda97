import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Call } from '../harness/call.ts';
import { openSocket } from '../harness/socket.ts';
import { within } from './load.ts';
import type { RequestCounts } from './request-counts.ts';

const turns = z.object({ turns: z.array(z.object({ body: z.string() })) });
const ofTurn = z.object({ turn: z.object({ body: z.string() }) });

export interface Live {
  /** Returns the bodies of the turns received on the socket, or read after reconnecting. */
  heard(): ReadonlySet<string>;
  /** Returns the close codes of the sockets. */
  codes(): number[];
  stop(): Promise<void>;
}

/**
 * Follows a conversation on a socket, as a visitor's SDK does. When the socket closes, reconnects and reads the
 * missed turns.
 */
export function follow(
  { api, key, call, counts }: { api: string; key: string; call: Call; counts: RequestCounts },
  conversation: { id: string; token: string },
): Live {
  const heard = new Set<string>();
  const codes: number[] = [];
  let isStopped = false;
  let close = () => undefined as unknown;
  const running = (async () => {
    while (!isStopped) {
      try {
        await once();
      } catch (error) {
        if (!isStopped) counts.failed('messenger socket', String(error));
        await sleep(200);
      }
    }
  })();

  async function once(): Promise<void> {
    const socket = await openSocket(`${api}/v1/messenger/socket?api_key=${key}`, (message) => {
      const turn = ofTurn.safeParse(message);
      if (turn.success) heard.add(turn.data.turn.body);
    });
    close = socket.close;
    socket.send({ type: 'subscribe', conversationId: conversation.id, token: conversation.token });
    await socket.next('subscribed');
    const read = await counts.count('conversation', () => call('getConversation', within(conversation)));
    for (const { body } of turns.safeParse(read?.body).data?.turns ?? []) heard.add(body);
    const code = await socket.closed;
    if (!isStopped) codes.push(code);
  }

  return {
    heard: () => heard,
    codes: () => codes,
    async stop() {
      isStopped = true;
      close();
      await running;
    },
  };
}
