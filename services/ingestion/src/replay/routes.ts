import { uploadReplayChunk } from '@switchboard/contracts';
import type { Quota, ServiceApp } from '@switchboard/service-kit';
import type { Replay } from './replay.ts';

export function replayRoutes(app: ServiceApp, replay: Replay, quota: Quota): void {
  app.implement(
    uploadReplayChunk,
    async (c) => {
      await replay.accept(c.var.project.id, c.req.valid('json'));
      return c.body(null, 202);
    },
    { quota },
  );
}
