import { uploadReplayChunk } from '@switchboard/contracts';
import type { ServiceApp } from '@switchboard/service-kit';
import type { Replays } from './replays.ts';

export function replayRoutes(app: ServiceApp, replays: Replays): void {
  app.implement(uploadReplayChunk, async (c) => {
    await replays.accept(c.get('project').id, c.req.valid('json'));
    return c.body(null, 202);
  });
}
