/** The object store responded with an error, too late or incompletely. `cause` has the details. */
export class ObjectStoreError extends Error {
  override name = 'ObjectStoreError';
}
