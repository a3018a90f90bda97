import { uploadReplayChunk } from '@switchboard/contracts';
import type { Quota, ServiceApp, Throttle } from '@switchboard/http';
import { answerDropped } from '../throttle/dropped.ts';
import type { Replay } from './replay.ts';

interface ReplayRoutes {
  replay: Replay;
  quota: Quota;
  throttle: Throttle;
}

export function replayRoutes(app: ServiceApp, { replay, quota, throttle }: ReplayRoutes): void {
  app.implement(
    uploadReplayChunk,
    async (c) => {
      throttle.charge(c.var.project, 1);
      c.env.sent = { events: 1 };
      await replay.accept(c.var.project.id, c.req.valid('json'));
      return c.body(null, 202);
    },
    { quota, authorize: answerDropped(throttle, () => new Response(null, { status: 202 })) },
  );
}
