import { createTransport, retryAfterMs, toJson } from '@switchboard/browser/transport';
import { isObject, textOf } from './values.ts';

/** A response that has been read. Status 0 means no response. */
export interface Answer {
  status: number;
  body: Record<string, unknown>;
  /** Milliseconds that the response requests to wait. */
  waitMs: number;
  /** The reason for the rejection, for debugging. */
  problem: string;
}

/** A conversation and the token that opens it. */
export interface Access {
  id: string;
  token: string;
}

export interface Upload {
  blob: Blob;
  name: string;
  /** Called with the fraction that is sent, 0 to 1. */
  onProgress(part: number): void;
  signal: AbortSignal;
}

const UPLOAD_TIMEOUT_MS = 120_000;
const NOTHING: Answer = { status: 0, body: {}, waitMs: 0, problem: 'no response' };

/** Returns whether the same request may succeed later. */
export const isTemporary = ({ status }: Answer) =>
  status === 0 || status === 408 || status === 429 || status >= 500;

export type Api = ReturnType<typeof createApi>;

/** Creates the operations of a messenger's visitor. None of them throws. */
export function createApi({ key, host }: { key: string; host: string }) {
  const transport = createTransport(key);
  const base = `${host}/v1/conversations`;
  const pathOf = ({ id }: Access) => `${base}/${encodeURIComponent(id)}`;
  const tokenOf = ({ token }: Access) => ({ 'X-Service-Conversation-Token': token });

  return {
    config: (locale: string) =>
      answer(transport.get(`${host}/v1/messenger/config?locale=${encodeURIComponent(locale)}`)),
    open: (request: object) => answer(transport.post(base, toJson(request))),
    own: (proof: object) => answer(transport.post(`${base}/mine`, toJson(proof))),
    read: (access: Access, after: string | undefined) =>
      answer(
        transport.get(
          `${pathOf(access)}${after === undefined ? '' : `?after=${encodeURIComponent(after)}`}`,
          tokenOf(access),
        ),
      ),
    turn: (access: Access, idempotencyKey: string, request: object) =>
      answer(
        transport.post(`${pathOf(access)}/turns`, toJson(request), {
          ...tokenOf(access),
          'Idempotency-Key': idempotencyKey,
        }),
      ),
    satisfaction: (access: Access) =>
      answer(transport.get(`${pathOf(access)}/satisfaction`, tokenOf(access))),
    rate: (access: Access, request: object) =>
      answer(transport.post(`${pathOf(access)}/satisfaction`, toJson(request), tokenOf(access))),
    /** Returns the bytes of a file of the conversation. */
    async file(access: Access, id: string): Promise<Blob | undefined> {
      try {
        const url = `${pathOf(access)}/attachments/${encodeURIComponent(id)}`;
        const response = await transport.get(url, tokenOf(access));
        return response.ok ? await response.blob() : undefined;
      } catch {
        return undefined;
      }
    },
    upload: (access: Access, upload: Upload) =>
      send(
        `${pathOf(access)}/attachments?name=${encodeURIComponent(upload.name)}`,
        { Authorization: `Bearer ${key}`, ...tokenOf(access) },
        upload,
      ),
    /** The key is in the query, because an image load cannot send headers. */
    avatar: (path: string) => `${host}${path}?api_key=${encodeURIComponent(key)}`,
  };
}

async function answer(asked: Promise<Response>): Promise<Answer> {
  try {
    const response = await asked;
    const body: unknown = await response.json().catch(() => undefined);
    return answerOf(response.status, body, retryAfterMs(response));
  } catch {
    return NOTHING;
  }
}

function answerOf(status: number, value: unknown, waitMs: number): Answer {
  const body = isObject(value) ? value : {};
  const error = isObject(body['error']) ? body['error'] : body;
  return { status, body, waitMs, problem: textOf(error['message']) || String(status) };
}

/** Uses XMLHttpRequest, because fetch does not report the progress of an upload. */
function send(url: string, headers: Record<string, string>, upload: Upload): Promise<Answer> {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.open('POST', url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.timeout = UPLOAD_TIMEOUT_MS;
    request.upload.onprogress = ({ loaded, total }) => upload.onProgress(total > 0 ? loaded / total : 0);
    request.onloadend = () => {
      let body: unknown;
      try {
        body = JSON.parse(request.responseText);
      } catch {
        // There is no response, or it is not from this API.
      }
      const seconds = request.status === 0 ? 0 : Number(request.getResponseHeader('Retry-After'));
      resolve(answerOf(request.status, body, (seconds || 0) * 1000));
    };
    upload.signal.addEventListener('abort', () => request.abort());
    request.send(upload.blob);
  });
}
