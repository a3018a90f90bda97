import http from 'node:http';
import https from 'node:https';

type OnResponse = (response: http.IncomingMessage) => void;

/** The time limit of a request in milliseconds, regardless of its progress. At least twice its time-out. */
const MAX_REQUEST_MS = 60_000;

/** Creates the transport of the client, with keep-alive connections and time-outs for every wait. */
export function boundedTransport(isSecure: boolean, timeoutMs: number) {
  const { Agent, request } = isSecure ? https : http;
  const agent = new Agent({ keepAlive: true, maxSockets: 64, timeout: Math.max(30_000, timeoutMs) });

  function send(
    first: string | URL | https.RequestOptions,
    second?: https.RequestOptions | OnResponse,
    third?: OnResponse,
  ): http.ClientRequest {
    const onResponse = typeof second === 'function' ? second : third;
    const options = [first, second].filter((one) => typeof one === 'object' && !(one instanceof URL));
    const all: https.RequestOptions = Object.assign({}, ...options, { timeout: timeoutMs });
    const sent = typeof first === 'string' || first instanceof URL ? request(first, all) : request(all);
    const giveUp = () => {
      sent.destroy(Object.assign(new Error('the server did not answer in time'), { code: 'ETIMEDOUT' }));
    };
    // `timeout` starts with the socket. Before that, the request may wait for a free socket.
    const queued = setTimeout(giveUp, timeoutMs);
    const deadline = setTimeout(giveUp, Math.max(MAX_REQUEST_MS, 2 * timeoutMs));
    sent.on('timeout', giveUp);
    sent.once('socket', () => clearTimeout(queued));
    sent.once('close', () => {
      clearTimeout(queued);
      clearTimeout(deadline);
    });
    if (onResponse !== undefined) sent.once('response', onResponse);
    return sent;
  }

  return { agent, transport: { request: send }, close: () => agent.destroy() };
}
