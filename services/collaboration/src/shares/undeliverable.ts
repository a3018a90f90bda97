/** The reason for a delivery no longer exists. */
export class Unneeded extends Error {
  override name = 'Unneeded';
}
