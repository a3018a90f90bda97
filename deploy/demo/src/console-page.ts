import { colours, favicon, logo, tokens } from '@switchboard/design';
import { Hono } from 'hono';
import { html, raw } from 'hono/html';

interface ConsoleOptions {
  /** Returns the public address of a report, or undefined while its public link is off. */
  findReport?: (projectId: string, reportId: string) => Promise<string | undefined>;
}

const styles = `${tokens}
body{margin:0;background:var(--surface);color:var(--text);font:14px/1.5 var(--sans)}
main{max-width:640px;margin:0 auto;padding:24px 20px 64px}
.brand{display:flex;gap:8px;align-items:center;margin:0 0 40px;font-size:16px;font-weight:600}
h1{margin:0 0 8px;font-size:20px;overflow-wrap:anywhere}
pre{padding:12px 16px;border:1px solid var(--line);border-radius:var(--radius);background:var(--sunken);font-size:13px;white-space:pre-wrap;overflow-wrap:anywhere}`;

const page = (title: string, body: unknown) => html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Switchboard</title><meta name="theme-color" content="${colours.accent.light}"><link rel="icon" href="${favicon}">
<style>${raw(styles)}</style></head>
<body><main><p class="brand">${raw(logo(24))} Switchboard</p><h1>${title}</h1>${body}</main></body></html>`;

/** Creates a placeholder for the console. Links in mails and notifications lead here, and on to the public report. */
export function createConsole({ findReport }: ConsoleOptions = {}): Hono {
  const app = new Hono();
  app.use(async (c, next) => {
    c.header('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'; img-src data:");
    c.header('X-Content-Type-Options', 'nosniff');
    c.header('Cache-Control', 'no-store');
    await next();
  });
  app.get('/projects/:projectId/reports/:reportId', async (c) => {
    const { projectId, reportId } = c.req.param();
    const found = await findReport?.(projectId, reportId);
    if (found !== undefined) return c.redirect(found, 303);
    const path = `/v1/projects/${encodeURIComponent(projectId)}/reports/${encodeURIComponent(reportId)}/public-link`;
    return c.html(
      page(
        `Report ${reportId}`,
        html`<p>This deployment has no console, and the public link of this report is off. Turn the link on to read the report here:</p>
<pre>curl -X PUT $API${path} \\
  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  -d '{"expiresOn":"YYYY-MM-DD"}'</pre>
<p>The link can stay on for up to 90 days. Anyone with its address can read the report until then.</p>`,
      ),
    );
  });
  app.get('*', (c) =>
    c.html(
      page(
        'Console',
        html`<p>This deployment has no console. Set <code>CONSOLE_URL</code> to the address of yours: links in mails and notifications lead there.</p>`,
      ),
    ),
  );
  return app;
}
