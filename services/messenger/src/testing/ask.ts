export interface Asked {
  /** Project key or access token. */
  token?: string | null;
  conversationToken?: string;
  headers?: Record<string, string>;
  body?: unknown;
  raw?: Buffer | ReadableStream | string;
}

export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever was answered
  body: any;
  bytes: Buffer;
}

/** One request, with its answer read. */
export async function ask(url: string, method: string, asked: Asked = {}): Promise<Answer> {
  const body = asked.raw ?? (asked.body === undefined ? undefined : JSON.stringify(asked.body));
  const response = await fetch(url, {
    method,
    headers: {
      ...(asked.token == null ? {} : { Authorization: `Bearer ${asked.token}` }),
      ...(asked.conversationToken && { 'X-Service-Conversation-Token': asked.conversationToken }),
      ...asked.headers,
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
