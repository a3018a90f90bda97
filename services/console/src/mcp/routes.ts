import { clientAddress } from '@switchboard/http';
import { createServer, respond, toolsOf } from '@switchboard/mcp';
import type { Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { Limits } from '../session/limits.ts';
import type { CallAs } from './api.ts';

interface McpRoutesOptions {
  callAs: CallAs;
  limits: Limits;
  /** The number of trusted proxies in front of the service. */
  trustedHops: number;
  consoleUrl: string;
}

/** The largest body of an operation that a tool calls. */
const MAX_BODY_BYTES = 262_144;
const MAX_TOKEN_LENGTH = 8_192;
/** Two headers are joined, and do not match. */
const BEARER = /^Bearer +(\S+)$/i;
const PATH = '/mcp';

/**
 * Mounts the Model Context Protocol by streamable HTTP, for the API host. Each request has the caller's own token,
 * which the API checks. `?write=true` adds the tools that change data.
 */
export function mcpRoutes(app: Hono, { callAs, limits, trustedHops, consoleUrl }: McpRoutesOptions): void {
  const { origin } = new URL(consoleUrl);
  const tools = toolsOf({ isWriting: true });
  const readingTools = tools.filter(({ isReadOnly }) => isReadOnly);
  const addressOf = (c: Context) => clientAddress(c.req.raw, c.env, trustedHops);

  app.use(PATH, async (c, next) => {
    c.header('Cache-Control', 'no-store');
    c.header('X-Content-Type-Options', 'nosniff');
    // A page of another site may reach this address by a name that it controls.
    const sender = c.req.header('origin');
    if (sender !== undefined && sender !== origin)
      return refuse(c, 403, 'FORBIDDEN', 'Only pages of the console may call this address.');
    if (c.req.method !== 'POST') {
      c.header('Allow', 'POST');
      return refuse(c, 405, 'METHOD_NOT_ALLOWED', 'Send POST. There are no sessions and no streams.');
    }
    await limits.callTools(addressOf(c));
    if (tokenOf(c) !== undefined) return next();
    c.header('WWW-Authenticate', 'Bearer');
    return refuse(c, 401, 'UNAUTHORIZED', 'Token missing. Send it as Authorization: Bearer <token>.');
  });

  app.post(
    PATH,
    bodyLimit({
      maxSize: MAX_BODY_BYTES,
      onError: (c) => refuse(c, 413, 'PAYLOAD_TOO_LARGE', `Send at most ${MAX_BODY_BYTES} bytes.`),
    }),
    async (c) => {
      const body: unknown = await c.req.json().catch(() => undefined);
      if (body === undefined) return refuse(c, 400, 'BAD_REQUEST', 'body: not JSON');
      if (Array.isArray(body)) return refuse(c, 400, 'BAD_REQUEST', 'body: send one message, not a list');
      const call = callAs({ token: tokenOf(c) ?? '', address: addressOf(c) });
      const served = c.req.query('write') === 'true' ? tools : readingTools;
      const answer = await respond(c.req.raw, body, () => createServer(served, call));
      return c.newResponse(answer.body, answer);
    },
  );
}

/** Returns the bearer token. Undefined if it is missing, or longer than a token is. */
function tokenOf(c: Context): string | undefined {
  const [, token] = BEARER.exec(c.req.header('authorization') ?? '') ?? [];
  return token !== undefined && token.length <= MAX_TOKEN_LENGTH ? token : undefined;
}

const refuse = (c: Context, status: 400 | 401 | 403 | 405 | 413, code: string, message: string) =>
  c.json({ error: { code, message } }, status);
