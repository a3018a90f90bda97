import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientPlan, TurnResult } from './clients.ts';

/** Runs clients in a separate process. Plain sockets perform the handshake and answer pings. */
process.once('message', async (plan: ClientPlan) => {
  process.send?.(plan.kind === 'sockets' ? await openSockets(plan) : await sendTurns(plan));
});

const PING = 0x89;
/** A pong without payload, masked as the protocol requires of clients. */
const PONG = Buffer.from([0x8a, 0x80, 0, 0, 0, 0]);

async function openSockets({ port, path, count }: Extract<ClientPlan, { kind: 'sockets' }>): Promise<number> {
  let open = 0;
  const one = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1' });
      socket.write(
        [
          ...[`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, 'Connection: Upgrade', 'Upgrade: websocket'],
          ...['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', '', ''],
        ].join('\r\n'),
      );
      socket.once('data', (head) => {
        if (!head.toString().startsWith('HTTP/1.1 101')) return reject(new Error(head.toString()));
        open += 1;
        socket.on('data', (frame) => {
          if (frame[0] === PING) socket.write(PONG);
        });
        resolve();
      });
      socket.on('error', reject);
    });
  for (let done = 0; done < count; done += 100) await Promise.all(Array.from({ length: 100 }, one));
  return open;
}

/** Sends turns at a steady rate, without waiting for earlier responses. */
async function sendTurns(plan: Extract<ClientPlan, { kind: 'turns' }>): Promise<TurnResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: 200 });
  const latencies: number[] = [];
  const statuses: Record<number, number> = {};
  const body = JSON.stringify({ body: 'I was charged twice for the same order. Can you look into it?' });

  const send = ({ id, token }: { id: string; token: string }) =>
    new Promise<void>((resolve) => {
      const began = performance.now();
      const sending = request(
        {
          ...{
            agent,
            port: plan.port,
            host: '127.0.0.1',
            method: 'POST',
            path: `/v1/conversations/${id}/turns`,
          },
          headers: {
            Authorization: `Bearer ${plan.key}`,
            'X-Service-Conversation-Token': token,
            'Content-Length': Buffer.byteLength(body),
          },
        },
        (response) => {
          response.resume().on('end', () => {
            const status = response.statusCode ?? 0;
            statuses[status] = (statuses[status] ?? 0) + 1;
            latencies.push(performance.now() - began);
            resolve();
          });
        },
      );
      sending.on('error', () => resolve());
      sending.end(body);
    });

  const startedAt = performance.now();
  const total = plan.perSecond * plan.seconds;
  const sent: Promise<void>[] = [];
  while (sent.length < total) {
    const due = Math.min(total, Math.ceil(((performance.now() - startedAt) / 1000) * plan.perSecond));
    while (sent.length < due) {
      const conversation = plan.conversations[sent.length % plan.conversations.length];
      if (conversation !== undefined) sent.push(send(conversation));
    }
    await sleep(1);
  }
  await Promise.all(sent);
  const sorted = latencies.sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
  return { statuses, p50: at(0.5), p99: at(0.99), max: at(1) };
}
