import {
  AVATAR_MAX_BYTES,
  getAvatar,
  getTeammate,
  listTeammates,
  putTeammate,
  putTeammateAvatar,
} from '@switchboard/contracts';
import { type Bodies, isFresh, type ProjectOfRegion, type ServiceApp } from '@switchboard/http';
import { withRawBody } from '../uploads/raw-body.ts';
import type { Team } from './team.ts';

interface TeamDeps {
  team: Team;
  ofProject: ProjectOfRegion;
  bodies: Bodies;
}

export function teamRoutes(app: ServiceApp, { team, ofProject, bodies }: TeamDeps): void {
  app.implement(
    listTeammates,
    async (c) => c.json({ team: await team.list(c.req.valid('param').projectId) }, 200),
    ofProject,
  );

  app.implement(
    getTeammate,
    async (c) => {
      const { projectId, userId } = c.req.valid('param');
      return c.json(await team.find(projectId, userId), 200);
    },
    ofProject,
  );

  app.implement(
    putTeammate,
    async (c, { change }) => {
      const { projectId, userId } = c.req.valid('param');
      return c.json(await team.put(change, projectId, userId, c.req.valid('json')), 200);
    },
    ofProject,
  );

  app.implement(
    putTeammateAvatar,
    (c, { change }) =>
      withRawBody(c, { maxBytes: AVATAR_MAX_BYTES, bodies }, async (read) => {
        const { projectId, userId } = c.req.valid('param');
        return c.json({ url: await team.putAvatar(change, projectId, userId, read) }, 200);
      }),
    ofProject,
  );

  app.implement(getAvatar, async (c) => {
    const { user_id, file } = c.req.valid('param');
    const avatar = await team.avatar(c.var.project.id, user_id, file);
    const headers = {
      ETag: avatar.etag,
      'Cache-Control': 'private, max-age=86400, immutable',
      'X-Content-Type-Options': 'nosniff',
      'Cross-Origin-Resource-Policy': 'cross-origin',
      ...(avatar.contentType === 'image/svg+xml' && {
        'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      }),
    };
    if (isFresh(c, avatar.etag)) return new Response(null, { status: 304, headers });
    const bytes = new Uint8Array(await avatar.bytes());
    return new Response(bytes, { headers: { ...headers, 'Content-Type': avatar.contentType } });
  });
}
