import { once } from 'node:events';
import { WebSocket } from 'ws';
import { z } from 'zod';

const message = z.looseObject({ type: z.string() });
type Message = z.infer<typeof message>;

export interface OpenSocket {
  send(value: object): void;
  /** The next message of a type, those before it passed over. Rejects when there is none within ten seconds. */
  next(type: string): Promise<Message>;
  /** Resolves with the code when the socket is closed. */
  closed: Promise<number>;
  close(): void;
}

/** Connects; `onMessage` gets every message as well. */
export async function openSocket(
  url: string,
  onMessage: (message: Message) => void = () => undefined,
): Promise<OpenSocket> {
  const socket = new WebSocket(url.replace(/^http/, 'ws'));
  const messages: Message[] = [];
  let heard: () => void = () => undefined;
  socket.on('message', (data) => {
    const one = message.parse(JSON.parse(String(data)));
    messages.push(one);
    onMessage(one);
    heard();
  });
  const closed = new Promise<number>((resolve) => socket.once('close', (code) => resolve(code)));
  await once(socket, 'open');
  return {
    send: (value) => socket.send(JSON.stringify(value)),
    closed,
    async next(type) {
      const deadline = Date.now() + 10_000;
      for (;;) {
        const taken = messages.shift();
        if (taken?.type === type) return taken;
        if (taken !== undefined) continue;
        if (socket.readyState !== socket.OPEN || Date.now() > deadline)
          throw new Error(`no message of type ${type} came`);
        await new Promise<void>((resolve) => {
          heard = resolve;
          setTimeout(resolve, 100);
        });
      }
    },
    close: () => socket.close(),
  };
}
