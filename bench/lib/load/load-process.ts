import { connect } from 'node:net';
import type { LoadPlan, LoadRequest, LoadResult } from './load.ts';

/**
 * A cheap client: plain sockets with one request in flight each, and prepared bytes in which it only rewrites the
 * numbers. It reads only the status and the length of a response, or the end of its chunks.
 */
process.once('message', (plan: LoadPlan) => {
  generate(plan).then((result) => process.send?.(result));
});

const LAST_CHUNK = Buffer.from('\r\n0\r\n\r\n');

interface Template {
  bytes: Buffer;
  offsets: number[];
}

interface Due {
  request: number;
  bytes: Buffer;
  /** The due time, as of `performance.now()`. In the past if there is no rate. */
  at: number;
}

async function generate(plan: LoadPlan): Promise<LoadResult> {
  const { placeholder, firstNumber = 0, perSecond = Number.POSITIVE_INFINITY } = plan;
  const count = Math.min(plan.count ?? Number.POSITIVE_INFINITY, perSecond * plan.seconds);
  const templates = plan.requests.map((request) => template(plan, request));
  const numbersPerBody = templates[0]?.offsets.length ?? 0;
  const width = placeholder?.length ?? 0;
  let outcomes = new Uint16Array(1 << 16);
  const latencies: number[] = [];
  const statuses: Record<string, number> = {};
  const startedAt = performance.now();
  const endsAt = startedAt + plan.seconds * 1000;
  let sent = 0;
  const isOver = () => sent >= count || performance.now() >= endsAt;

  function next(): Due {
    const request = sent++;
    const source = templates[request % templates.length];
    if (source === undefined) throw new Error('the plan has no requests');
    const at = startedAt + (request * 1000) / perSecond;
    if (source.offsets.length === 0) return { request, bytes: source.bytes, at };
    // Copies, because the socket may still hold the bytes when the template is used again.
    const bytes = Buffer.from(source.bytes);
    let number = firstNumber + request * numbersPerBody;
    for (const offset of source.offsets) bytes.write(String(number++).padStart(width, '0'), offset, 'latin1');
    return { request, bytes, at };
  }

  function whenDue(send: (due: Due) => void): void {
    const due = next();
    const wait = due.at - performance.now();
    if (wait > 0) setTimeout(send, wait, due);
    else send(due);
  }

  function note(request: number, status: number, began: number): void {
    if (request >= outcomes.length) {
      const larger = new Uint16Array(outcomes.length * 2);
      larger.set(outcomes);
      outcomes = larger;
    }
    outcomes[request] = status;
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (status >= 200 && status < 400) latencies.push(performance.now() - began);
  }

  const client = (): Promise<void> =>
    new Promise((resolve) => {
      if (isOver()) resolve();
      else whenDue((due) => connection(due, resolve));
    });

  /** Opens a connection when a request is due. Reopens it if it is gone by then: servers close idle connections. */
  function connection(first: Due, resolve: () => void): void {
    const socket = connect({ port: plan.port, host: '127.0.0.1', noDelay: true });
    let { request } = first;
    let began = 0;
    let isOpen = false;
    /** Whether it waits for its next request. It waits indefinitely if another connection sends that request. */
    let isWaiting = false;
    let head = Buffer.alloc(0);
    let left = 0;
    let status = 0;
    let closes = false;
    let end = Buffer.alloc(0);
    const write = (due: Due) => {
      request = due.request;
      began = perSecond === Number.POSITIVE_INFINITY ? performance.now() : due.at;
      socket.write(due.bytes);
    };
    const send = () => {
      if (isOver()) {
        socket.end();
        return;
      }
      isWaiting = true;
      whenDue((due) => {
        if (!socket.writable) return connection(due, resolve);
        isWaiting = false;
        write(due);
      });
    };
    socket.on('connect', () => {
      isOpen = true;
      write(first);
    });
    socket.on('data', (chunk) => {
      if (left > 0) {
        left -= chunk.length;
      } else {
        head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
        const headEnd = head.indexOf('\r\n\r\n');
        if (headEnd < 0) return;
        const text = head.toString('latin1', 0, headEnd);
        status = Number(text.slice(9, 12));
        closes = /connection: *close/i.test(text);
        const length = Number(/content-length: *(\d+)/i.exec(text)?.[1] ?? 0);
        const isChunked = /transfer-encoding: *chunked/i.test(text);
        left = isChunked ? Number.POSITIVE_INFINITY : length + headEnd + 4 - head.length;
        head = Buffer.alloc(0);
        end = head;
      }
      if (left === Number.POSITIVE_INFINITY) {
        end = Buffer.concat([end, chunk]).subarray(-LAST_CHUNK.length);
        if (end.equals(LAST_CHUNK)) left = 0;
      }
      if (left > 0) return;
      note(request, status, began);
      began = 0;
      if (closes) socket.destroy();
      else send();
    });
    const broken = () => {
      if (began > 0) note(request, 0, began);
      began = 0;
    };
    socket.on('error', broken);
    socket.on('close', () => {
      broken();
      if (isWaiting) return;
      const isAtEnd = isOpen ? isOver() : performance.now() >= endsAt;
      if (isAtEnd) resolve();
      else if (isOpen) setTimeout(() => client().then(resolve), 5);
      else setTimeout(() => connection(first, resolve), 5);
    });
  }

  await Promise.all(Array.from({ length: plan.connections }, client));
  const seconds = (performance.now() - startedAt) / 1000;
  const sorted = Float64Array.from(latencies).sort();
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return {
    seconds,
    statuses,
    latency: { p50: at(0.5), p99: at(0.99), max: at(1) },
    outcomes: outcomes.slice(0, sent),
  };
}

function template({ port, headers, placeholder }: LoadPlan, { path, body, ...own }: LoadRequest): Template {
  const payload = Buffer.from(body ?? '');
  const head = [
    `${body === undefined ? 'GET' : 'POST'} ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    ...Object.entries({ ...headers, ...own.headers }).map(([name, value]) => `${name}: ${value}`),
    ...(body === undefined ? [] : [`Content-Length: ${payload.length}`]),
  ];
  const bytes = Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), payload]);
  const offsets: number[] = [];
  if (placeholder !== undefined) {
    for (let at = bytes.indexOf(placeholder); at >= 0; at = bytes.indexOf(placeholder, at + 1)) {
      offsets.push(at);
    }
  }
  return { bytes, offsets };
}
