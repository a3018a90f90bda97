import { SendFailed } from '@switchboard/runtime';

/**
 * A delivery failed and a retry may help. The error message is logged and stored, so it must not contain replies
 * of the server, which include addresses and parts of messages.
 */
export class DeliveryFailed extends Error {
  override name = 'DeliveryFailed';
}

/** A delivery failed and no retry can succeed. */
export class Undeliverable extends DeliveryFailed {
  override name = 'Undeliverable';
}

/** Throws unless a server accepted a delivery with this status. `name` is the server's, for the message. */
export function requireAccepted(status: number, name: string): void {
  if (status >= 200 && status < 300) return;
  if (status >= 500 || status === 429 || status === 408) {
    throw new DeliveryFailed(`${name} failed: status ${status}`);
  }
  throw new Undeliverable(`${name} rejected the message: status ${status}`);
}

/** Returns the failure of a delivery to which a server did not respond. Throws an error of another kind. */
export function unanswered(error: unknown, name: string): DeliveryFailed {
  if (!(error instanceof SendFailed)) throw error;
  if (error.kind === 'refused') return new Undeliverable(`${name} is not allowed: ${error.message}`);
  return new DeliveryFailed(`${name} failed: ${error.message}`);
}
