import { deletePublicLink, getPublicLink, putPublicLink } from '@switchboard/contracts';
import type { ServiceApp } from '@switchboard/http';
import type { PublicLinks } from './public-links.ts';

export function publicLinksRoutes(app: ServiceApp, { links }: { links: PublicLinks }): void {
  app.implement(getPublicLink, async (c) =>
    c.json(await links.read(c.var, c.req.valid('param').reportId), 200),
  );
  app.implement(putPublicLink, async (c, { change }) =>
    c.json(await links.turnOn(change, c.var, c.req.valid('param').reportId, c.req.valid('json')), 200),
  );
  app.implement(deletePublicLink, async (c, { change }) => {
    await links.turnOff(change, c.var, c.req.valid('param').reportId);
    return c.body(null, 204);
  });
}
