/** A delivery that no retry would complete; the message says why and is stored. */
export class Undeliverable extends Error {
  override name = 'Undeliverable';
}
