export interface CallOptions {
  /** Sent as `Authorization: Bearer`. */
  token?: string;
  /** Text and bytes are sent unchanged, and anything else as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
}

export interface CallResult {
  status: number;
  headers: Headers;
  /** The parsed body if it is JSON, otherwise text. Undefined if it is empty. */
  // biome-ignore lint/suspicious/noExplicitAny: a test states what it expects of a body.
  body: any;
}

/** Sends a request and reads the whole response. Redirects are not followed. */
export async function call(
  method: string,
  url: string,
  { token, body, headers = {} }: CallOptions = {},
): Promise<CallResult> {
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: { ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }), ...headers },
    ...(body === undefined ? {} : { body: payloadOf(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('Content-Type')?.startsWith('application/json') ?? false;
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : isJson ? JSON.parse(text) : text,
  };
}

function payloadOf(body: unknown): string | Uint8Array<ArrayBuffer> {
  if (typeof body === 'string') return body;
  return body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body);
}
