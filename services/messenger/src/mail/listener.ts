import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createByteBudget } from '@switchboard/fairness';
import type { Logger } from '@switchboard/runtime';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import { parseMail } from './parsing/parse.ts';
import { MailTooComplex } from './parsing/read.ts';
import { createMailReader } from './parsing/reader.ts';
import { type MailOutcome, MailRefused, type MailTarget, type Receiving } from './receiving.ts';

interface ListenerOptions {
  receiving: Receiving;
  host: string;
  port: number;
  domain: string;
  limits: MailLimits;
  onReceived(outcome: MailOutcome | 'refused'): void;
  logger: Logger;
}

/** Bounds of the listener. */
export interface MailLimits {
  maxBytes: number;
  maxConnections: number;
  maxConnectionsPerAddress: number;
  /** The bytes of messages in memory. */
  maxBytesInFlight: number;
  idleMs: number;
  /** A session ends after this time, however busy it is. */
  sessionMs: number;
}

export const MAIL_LIMITS: MailLimits = {
  maxBytes: 5_000_000,
  maxConnections: 100,
  maxConnectionsPerAddress: 50,
  maxBytesInFlight: 20_000_000,
  idleMs: 30_000,
  sessionMs: 300_000,
};
const MAX_RECIPIENTS = 10;
/** A client that sends this many times the largest message is disconnected. */
const OVERSIZE = 2;

/**
 * Receives mail from the operator's mail server by SMTP. A message is acknowledged after its turns are stored, so the
 * sender keeps it until then.
 */
export function createMailListener(options: ListenerOptions) {
  const { receiving, host, port, domain, limits, onReceived, logger } = options;
  const budget = createByteBudget(limits.maxBytesInFlight);
  const reader = createMailReader();
  const byAddress = new Map<string, number>();
  const deadlines = new Map<string, NodeJS.Timeout>();
  const targets = new WeakMap<SMTPServerSession, Map<string, MailTarget>>();

  function disconnect(id: string): void {
    for (const connection of server.connections) if (connection.id === id) connection.close();
  }

  const server = new SMTPServer({
    name: domain,
    banner: 'Switchboard',
    size: limits.maxBytes,
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    hideDSN: true,
    maxClients: limits.maxConnections,
    socketTimeout: limits.idleMs,
    closeTimeout: 1_000,
    logger: false,

    onConnect({ id, remoteAddress }, callback) {
      const open = (byAddress.get(remoteAddress) ?? 0) + 1;
      byAddress.set(remoteAddress, open);
      deadlines.set(id, setTimeout(disconnect, limits.sessionMs, id).unref());
      callback(open > limits.maxConnectionsPerAddress ? refusal(421, '4.7.0 Too many connections') : null);
    },

    onClose({ id, remoteAddress }) {
      clearTimeout(deadlines.get(id));
      if (!deadlines.delete(id)) return;
      const open = (byAddress.get(remoteAddress) ?? 1) - 1;
      if (open > 0) byAddress.set(remoteAddress, open);
      else byAddress.delete(remoteAddress);
    },

    onRcptTo({ address }, session, callback) {
      if (session.envelope.rcptTo.length >= MAX_RECIPIENTS) {
        callback(refusal(452, '4.5.3 Too many recipients'));
        return;
      }
      receiving.targetOf(address).then(
        (target) => {
          const known = targets.get(session) ?? new Map<string, MailTarget>();
          targets.set(session, known.set(address, target));
          callback();
        },
        (error) => callback(asRefusal(error)),
      );
    },

    onData(stream, session, callback) {
      receive(stream, session).then(
        () => callback(),
        (error) => callback(asRefusal(error)),
      );
    },
  });
  // A client that disconnects or breaks the protocol is no failure of the service.
  server.on('error', (error) => logger.info({ error }, 'close mail connection'));

  async function receive(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<void> {
    const reserved = { bytes: 0 };
    try {
      const raw = await readAll(stream, reserved, () => disconnect(session.id));
      const mail = parseMail(await reader.read(raw));
      const { mailFrom, rcptTo } = session.envelope;
      const sender = mailFrom === false ? '' : mailFrom.address;
      const envelope = { sender, digest: createHash('sha256').update(raw).digest('hex') };
      for (const { address } of rcptTo) {
        const target = targets.get(session)?.get(address);
        if (target !== undefined) onReceived(await receiving.receive(target, mail, envelope));
      }
    } finally {
      budget.release(reserved.bytes);
    }
  }

  /** Reads a message. Throws MailRefused if it is too large, or if there is no memory for it. */
  async function readAll(
    stream: SMTPServerDataStream,
    reserved: { bytes: number },
    onEndless: () => void,
  ): Promise<Buffer> {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let isRefused = false;
    for await (const chunk of stream) {
      bytes += chunk.length;
      if (bytes > limits.maxBytes * OVERSIZE) onEndless();
      isRefused ||= bytes > limits.maxBytes || !budget.tryReserve(chunk.length);
      if (!isRefused) {
        reserved.bytes += chunk.length;
        chunks.push(chunk);
        continue;
      }
      chunks.length = 0;
      budget.release(reserved.bytes);
      reserved.bytes = 0;
    }
    if (bytes > limits.maxBytes)
      throw refusal(552, `5.3.4 The message is larger than ${limits.maxBytes} bytes`);
    if (isRefused) throw refusal(452, '4.3.1 Too many messages at once, try again later');
    return Buffer.concat(chunks);
  }

  function asRefusal(error: unknown): Error {
    onReceived('refused');
    if (error instanceof MailRefused) return error;
    if (error instanceof MailTooComplex)
      return refusal(554, '5.6.0 The message has too many lines, or too many or too deep parts');
    logger.failed('receive mail', error);
    return refusal(451, '4.3.0 Try again later');
  }

  return {
    /** Returns the port that the listener uses. */
    port: () => portOf(server.server.address()),
    async start(): Promise<void> {
      if (server.server.listening) return;
      const listening = server.listen(port, host);
      await once(listening, 'listening');
    },
    async stop(): Promise<void> {
      for (const timer of deadlines.values()) clearTimeout(timer);
      await reader.stop();
      if (!server.server.listening) return;
      await new Promise<void>((resolve) => server.close(resolve));
    },
  };
}

const refusal = (responseCode: number, message: string) => new MailRefused(responseCode, message);

const portOf = (address: AddressInfo | string | null) =>
  typeof address === 'object' && address !== null ? address.port : undefined;
