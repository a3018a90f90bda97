/**
 * A delivery failed and a retry may help. The message is logged and stored, so it holds no text of the other side:
 * replies carry addresses and parts of messages.
 */
export class DeliveryFailed extends Error {
  override name = 'DeliveryFailed';
}

/** A delivery that no retry would complete. */
export class Undeliverable extends DeliveryFailed {
  override name = 'Undeliverable';
}

/** There is no longer a reason for a delivery. */
export class Unneeded extends Error {
  override name = 'Unneeded';
}
