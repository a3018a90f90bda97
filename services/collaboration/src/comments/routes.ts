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
import type { ServiceApp } from '@switchboard/service-kit';
import type { Threads } from './threads.ts';

export function routeComments(app: ServiceApp, threads: Threads): void {
  app.implement(listThreads, async (c) =>
    c.json({ threads: await threads.list(c.var, c.req.valid('param').reportId) }, 200),
  );
  app.implement(startThread, async (c) =>
    c.json(await threads.start(c.var, c.req.valid('param').reportId, c.req.valid('json')), 201),
  );
  app.implement(replyToThread, async (c) =>
    c.json(await threads.reply(c.var, c.req.valid('param').threadId, c.req.valid('json')), 201),
  );
  app.implement(changeComment, async (c) =>
    c.json(await threads.change(c.var, c.req.valid('param').commentId, c.req.valid('json')), 200),
  );
  app.implement(deleteComment, async (c) =>
    c.json(await threads.remove(c.var, c.req.valid('param').commentId), 200),
  );
  app.implement(resolveThread, async (c) =>
    c.json(await threads.resolve(c.var, c.req.valid('param').threadId), 200),
  );
  app.implement(reopenThread, async (c) =>
    c.json(await threads.reopen(c.var, c.req.valid('param').threadId), 200),
  );
  app.implement(addReaction, async (c) => {
    const { commentId, emoji } = c.req.valid('param');
    return c.json(await threads.react(c.var, commentId, emoji), 200);
  });
  app.implement(removeReaction, async (c) => {
    const { commentId, emoji } = c.req.valid('param');
    return c.json(await threads.unreact(c.var, commentId, emoji), 200);
  });
}
