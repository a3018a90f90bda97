import { Hono } from 'hono';
import { proxy } from 'hono/proxy';

type Fetch = (request: Request, env: object) => Response | Promise<Response>;

/** Passes requests on to a service that a deployment may be without. While it does not answer, `otherwise` does. */
export function passOn(target: string, otherwise: Fetch): Hono {
  const app = new Hono();
  // The gateway checks this address, which answers without the service as well.
  app.get('/health/:kind', (c) => c.json({ status: 'ready' }));
  app.all('*', async (c) => {
    const { pathname, search } = new URL(c.req.url);
    // A body can be sent once, so `otherwise` gets a request without one.
    const asked = new Request(c.req.url, { headers: c.req.raw.headers });
    return await proxy(`${target}${pathname}${search}`, { raw: c.req.raw, redirect: 'manual' }).catch(() =>
      otherwise(asked, {}),
    );
  });
  return app;
}
