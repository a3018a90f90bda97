import type { Thread } from '@switchboard/contracts';
import {
  addReaction,
  changeComment,
  deleteComment,
  listThreads,
  removeReaction,
  reopenThread,
  replyToThread,
  resolveThread,
  startThread,
} from '@switchboard/contracts';
import type { ServiceApp } from '@switchboard/http';
import type { TypedResponse } from 'hono';
import { languageOf } from '../page/texts/languages.ts';
import type { Comments } from './comments.ts';

export function commentsRoutes(app: ServiceApp, { comments }: { comments: Comments }): void {
  app.implement(listThreads, async (c) =>
    respondInPieces(comments.list(c.var, c.req.valid('param').reportId)),
  );
  app.implement(startThread, async (c, { change }) =>
    c.json(
      await comments.start(
        change,
        c.var,
        c.req.valid('param').reportId,
        c.req.valid('json'),
        languageOf(c.req.header('accept-language')),
      ),
      201,
    ),
  );
  app.implement(replyToThread, async (c, { change }) =>
    c.json(
      await comments.reply(
        change,
        c.var,
        c.req.valid('param').threadId,
        c.req.valid('json'),
        languageOf(c.req.header('accept-language')),
      ),
      201,
    ),
  );
  app.implement(changeComment, async (c, { change }) =>
    c.json(
      await comments.change(
        change,
        c.var,
        c.req.valid('param').commentId,
        c.req.valid('json'),
        languageOf(c.req.header('accept-language')),
      ),
      200,
    ),
  );
  app.implement(deleteComment, async (c, { change }) =>
    c.json(await comments.remove(change, c.var, c.req.valid('param').commentId), 200),
  );
  app.implement(resolveThread, async (c, { change }) =>
    c.json(await comments.resolve(change, c.var, c.req.valid('param').threadId), 200),
  );
  app.implement(reopenThread, async (c, { change }) =>
    c.json(await comments.reopen(change, c.var, c.req.valid('param').threadId), 200),
  );
  app.implement(addReaction, async (c, { change }) => {
    const { commentId, emoji } = c.req.valid('param');
    return c.json(await comments.react(change, c.var, commentId, emoji), 200);
  });
  app.implement(removeReaction, async (c, { change }) => {
    const { commentId, emoji } = c.req.valid('param');
    return c.json(await comments.unreact(change, c.var, commentId, emoji), 200);
  });
}

type Pieces = AsyncGenerator<Uint8Array<ArrayBuffer>, void>;
type Listed = Response & TypedResponse<{ threads: Thread[] }, 200, 'json'>;

/** Streams a list of several pieces, because a report may have more comments than fit into memory. */
async function respondInPieces(pieces: Pieces): Promise<Listed>;
async function respondInPieces(pieces: Pieces): Promise<Response> {
  const first = await pieces.next();
  const second = await pieces.next();
  async function* all() {
    if (!first.done) yield first.value;
    if (!second.done) yield second.value;
    yield* pieces;
  }
  const body = second.done ? (first.value ?? null) : ReadableStream.from(all());
  return new Response(body, { headers: { 'Content-Type': 'application/json; charset=utf-8' } });
}
