import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createByteBudget, createReservations, type Reservation } from '@switchboard/fairness';
import type { Logger } from '@switchboard/runtime';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import { type AdmissionLimits, createAdmission } from './admission.ts';
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
  onReceived(outcome: MailOutcome | 'refused' | 'deferred'): void;
  logger: Logger;
}

/** Bounds of the listener. */
export interface MailLimits extends AdmissionLimits {
  maxBytes: number;
  maxConnections: number;
  maxConnectionsPerAddress: number;
  /** The bytes of messages in memory. Those of a project get at most half. */
  maxBytesInFlight: number;
  idleMs: number;
  /** A session ends after this time, however busy it is. */
  sessionMs: number;
}

/** The bounds without those that RATE_LIMITS_MULTIPLIER multiplies. */
export const MAIL_LIMITS: Omit<MailLimits, keyof AdmissionLimits> = {
  maxBytes: 5_000_000,
  maxConnections: 100,
  maxConnectionsPerAddress: 50,
  maxBytesInFlight: 12_000_000,
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
  const admission = createAdmission(limits);
  const reservationOf = createReservations(createByteBudget(limits.maxBytesInFlight), () =>
    refusal(452, '4.3.1 Too many messages at once, try again later'),
  );
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

    onMailFrom({ address }, _, callback) {
      try {
        admission.requireSender(address);
        callback();
      } catch (error) {
        callback(asRefusal(error));
      }
    },

    onRcptTo({ address }, session, callback) {
      if (session.envelope.rcptTo.length >= MAX_RECIPIENTS) {
        callback(refusal(452, '4.5.3 Too many recipients'));
        return;
      }
      admission.requireRecipient(address, receiving.targetOf).then(
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
    const { mailFrom, rcptTo } = session.envelope;
    const sender = mailFrom === false ? '' : mailFrom.address;
    const known = targets.get(session);
    const to = rcptTo.flatMap(({ address }) => known?.get(address) ?? []);
    const projectIds = to.map(({ projectId }) => projectId);
    const [fairnessKey = '', ...others] = new Set(projectIds);
    const reservation = reservationOf(fairnessKey);
    for (const other of others) reservation.join(other);
    const admitted = admission.begin(sender, projectIds);
    try {
      const hash = createHash('sha256');
      const raw = await readAll(stream, reservation, (chunk) => {
        hash.update(chunk);
        return admitted.charge(chunk.length);
      });
      const mail = parseMail(await reader.read(raw, fairnessKey, admitted.chargeTime));
      const envelope = { sender, digest: hash.digest('hex') };
      for (const target of to) onReceived(await receiving.receive(target, mail, envelope));
    } catch (error) {
      if (error instanceof Interrupted) disconnect(session.id);
      throw error;
    } finally {
      admitted.end();
      reservation.release();
    }
  }

  /** Reads a message. Throws MailRefused if it is too large, or if there is no memory for it. */
  async function readAll(
    stream: SMTPServerDataStream,
    reservation: Reservation,
    mayContinue: (chunk: Buffer) => boolean,
  ): Promise<Buffer> {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let held = 0;
    let refused: unknown;
    for await (const chunk of stream) {
      bytes += chunk.length;
      if (!mayContinue(chunk) || bytes > limits.maxBytes * OVERSIZE) throw new Interrupted();
      if (refused !== undefined) continue;
      try {
        if (bytes > limits.maxBytes)
          throw refusal(552, `5.3.4 The message is larger than ${limits.maxBytes} bytes`);
        reservation.take(chunk.length);
        held += chunk.length;
        chunks.push(chunk);
      } catch (error) {
        refused = error;
        chunks.length = 0;
        reservation.give(held);
      }
    }
    if (refused !== undefined) throw refused;
    return Buffer.concat(chunks);
  }

  function asRefusal(error: unknown): Error {
    if (error instanceof MailRefused) {
      onReceived(error.responseCode < 500 ? 'deferred' : 'refused');
      return error;
    }
    onReceived('refused');
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
      if (server.server.listening) await new Promise<void>((resolve) => server.close(resolve));
      await reader.stop();
    },
  };
}

/** The rest of the message is not read. */
class Interrupted extends MailRefused {
  constructor() {
    super(421, '4.7.0 Too much mail, try again later');
  }
}

const refusal = (responseCode: number, message: string) => new MailRefused(responseCode, message);

const portOf = (address: AddressInfo | string | null) =>
  typeof address === 'object' && address !== null ? address.port : undefined;
