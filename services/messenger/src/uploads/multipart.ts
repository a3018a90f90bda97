export const SEND_RAW_BYTES = 'Send the raw file bytes as the request body, not a multipart form.';

/** A part's headers come right after the first boundary. */
const MAX_HEAD_BYTES = 2048;

/** Whether a body is multipart/form-data (RFC 7578). Checks its bytes, because Content-Type is never trusted. */
export function isMultipartForm(bytes: Buffer): boolean {
  const head = bytes.toString('latin1', 0, MAX_HEAD_BYTES);
  return /^\s*--\S/.test(head) && /^content-disposition:\s*form-data\b/im.test(head);
}
