/** The object store responded with an error or not in time; `cause` has the details. */
export class ObjectStoreError extends Error {
  override name = 'ObjectStoreError';
}
