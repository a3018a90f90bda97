import { once } from 'node:events';
import { WebSocket } from 'ws';
import { z } from 'zod';

const message = z.looseObject({ type: z.string() });
type Message = z.infer<typeof message>;

export interface OpenSocket {
  send(value: object): void;
  /** Resolves with the next message of a type, and skips others. Rejects after ten seconds. */
  next(type: string): Promise<Message>;
  /** Resolves with the close code. */
  closed: Promise<number>;
  close(): void;
}

/** Connects a socket. `onMessage` also gets every message. */
export async function openSocket(
  url: string,
  onMessage: (message: Message) => void = () => undefined,
): Promise<OpenSocket> {
  const socket = new WebSocket(url.replace(/^http/, 'ws'));
  const messages: Message[] = [];
  let wake: () => void = () => undefined;
  socket.on('message', (data) => {
    const one = message.parse(JSON.parse(String(data)));
    messages.push(one);
    onMessage(one);
    wake();
  });
  const closed = new Promise<number>((resolve) => socket.once('close', (code) => resolve(code)));
  await once(socket, 'open');
  return {
    send: (value) => socket.send(JSON.stringify(value)),
    closed,
    async next(type) {
      const deadline = performance.now() + 10_000;
      for (;;) {
        const taken = messages.shift();
        if (taken?.type === type) return taken;
        if (taken !== undefined) continue;
        if (socket.readyState !== socket.OPEN || performance.now() > deadline)
          throw new Error(`no message of type ${type}`);
        await new Promise<void>((resolve) => {
          wake = resolve;
          setTimeout(resolve, 100);
        });
      }
    },
    close: () => socket.close(),
  };
}
