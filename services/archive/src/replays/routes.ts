import type { ServerResponse } from 'node:http';
import { deleteReplay, getReplay, listReplays, readReplayEvents } from '@switchboard/contracts';
import type { ProjectOfRegion, ServiceApp } from '@switchboard/http';
import type { Logger } from '@switchboard/runtime';
import type { Erasure } from './erasure.ts';
import type { Recordings } from './recordings.ts';

interface ReplaysRoutesOptions {
  recordings: Recordings;
  erasure: Pick<Erasure, 'remove'>;
  ofProject: ProjectOfRegion;
  logger: Logger;
}

export function replaysRoutes(app: ServiceApp, options: ReplaysRoutesOptions): void {
  const { recordings, erasure, ofProject, logger } = options;

  app.implement(
    listReplays,
    async (c) => {
      const { distinct_id: distinctId, ...page } = c.req.valid('query');
      return c.json(await recordings.list(c.req.valid('param').projectId, { distinctId, ...page }), 200);
    },
    ofProject,
  );

  app.implement(
    getReplay,
    async (c) => c.json(await recordings.manifest(c.req.valid('param')), 200),
    ofProject,
  );

  app.implement(
    readReplayEvents,
    async (c) => {
      const pieces = await recordings.events(c.req.valid('param'));
      const stream = ReadableStream.from(abortOnError(pieces, c.env.requestId, c.env.outgoing));
      return new Response(stream, { headers: { 'Content-Type': 'application/json; charset=utf-8' } });
    },
    ofProject,
  );

  app.implement(
    deleteReplay,
    async (c, { change }) => {
      await erasure.remove(c.req.valid('param'), change);
      return c.body(null, 204);
    },
    ofProject,
  );

  /**
   * Closes the connection when reading fails. The status has already been sent, so this marks the body as incomplete.
   */
  async function* abortOnError(
    pieces: AsyncGenerator<Uint8Array>,
    requestId: string,
    outgoing: ServerResponse | undefined,
  ): AsyncGenerator<Uint8Array> {
    try {
      yield* pieces;
    } catch (error) {
      logger.error({ requestId, error }, 'reading a recording failed');
      if (outgoing === undefined) throw error;
      outgoing.destroy();
    }
  }
}
