import {
  createMcpHandler,
  isLegacyRequest,
  type McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';

/**
 * Answers a POST by streamable HTTP with JSON. `body` is the parsed body. Each request gets a server of its own, and
 * none opens a stream or a session, so that any instance can answer.
 */
export async function respond(
  request: Request,
  body: unknown,
  createServer: () => McpServer,
): Promise<Response> {
  // Revisions up to 2025-11-25 begin with `initialize`. Later ones describe the client in every request.
  if (!(await isLegacyRequest(request, body))) {
    const { fetch } = createMcpHandler(createServer, { legacy: 'reject', maxSubscriptions: 0 });
    return fetch(request, { parsedBody: body });
  }
  const server = createServer();
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody: body });
  } finally {
    await server.close();
  }
}
