/** A message that this recipient will never get; the message says why, for the record. */
export class Undeliverable extends Error {
  override name = 'Undeliverable';
}
