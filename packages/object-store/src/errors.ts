/** The object store responded with an error, not in time or not to the end; `cause` has the details. */
export class ObjectStoreError extends Error {
  override name = 'ObjectStoreError';
}
