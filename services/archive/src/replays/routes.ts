import type { ServerResponse } from 'node:http';
import {
  deleteReplay,
  getReplay,
  listReplays,
  readReplayChunks,
  readReplayEvents,
} from '@switchboard/contracts';
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
      const { cursor, limit, distinct_id: distinctId, event, page, errors, ...length } = c.req.valid('query');
      const filters = {
        ...{ event, page, errors },
        ...{ minSeconds: length.min_seconds, maxSeconds: length.max_seconds },
      };
      const { projectId } = c.req.valid('param');
      return c.json(await recordings.list(projectId, { distinctId, filters, cursor, limit }), 200);
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
      return streamed(abortOnError(pieces, c.env.requestId, c.env.outgoing));
    },
    ofProject,
  );

  app.implement(
    readReplayChunks,
    async (c) => {
      const pieces = await recordings.chunks(c.req.valid('param'), c.req.valid('query'));
      return streamed(abortOnError(pieces, c.env.requestId, c.env.outgoing));
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

function streamed(pieces: AsyncGenerator<Uint8Array>): Response {
  const headers = { 'Content-Type': 'application/json; charset=utf-8' };
  return new Response(ReadableStream.from(pieces), { headers });
}
