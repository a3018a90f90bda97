export interface RequestOptions {
  /** A project key or an access token. */
  token?: string | null;
  conversationToken?: string;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent unchanged. */
  raw?: Buffer | ReadableStream | string;
}

export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was answered
  body: any;
  bytes: Buffer;
}

/** Sends a request and reads the whole response, as bytes and as JSON. */
export async function request(url: string, method: string, options: RequestOptions = {}): Promise<Answer> {
  const body = options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
  const response = await fetch(url, {
    method,
    headers: {
      ...(options.token == null ? {} : { Authorization: `Bearer ${options.token}` }),
      ...(options.conversationToken && { 'X-Service-Conversation-Token': options.conversationToken }),
      ...options.headers,
    },
    ...(body === undefined
      ? {}
      : { body: Buffer.isBuffer(body) ? new Uint8Array(body) : body, duplex: 'half' }),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  return {
    status: response.status,
    headers: response.headers,
    bytes,
    body: isJson && bytes.length > 0 ? JSON.parse(bytes.toString()) : undefined,
  };
}
