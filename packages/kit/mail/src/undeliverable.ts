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
