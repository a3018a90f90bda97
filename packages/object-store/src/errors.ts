/** The object store refused, failed or did not answer in time; `cause` says how. */
export class ObjectStoreError extends Error {
  override name = 'ObjectStoreError';
}
