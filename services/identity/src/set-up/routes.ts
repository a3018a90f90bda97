import type { ServiceApp } from '@switchboard/http';
import { html } from 'hono/html';
import { problemText } from '../accounts/problem-text.ts';
import { type Browser, fieldsOf } from '../browser/browser.ts';
import type { Limits } from '../limits/limits.ts';
import { expiredLinkPage, MOUNT, type Page } from '../pages/document.ts';
import { textsOf } from '../pages/texts/languages.ts';
import type { Complete } from '../sign-in/complete.ts';
import { NO_INTERACTION } from '../sign-in/pages.ts';
import type { Trail } from '../trail/trail.ts';
import type { SetUp } from './set-up.ts';

interface SetUpRoutesOptions {
  browser: Browser;
  setUp: SetUp;
  limits: Limits;
  complete: Complete;
  trail: Trail;
}

export function setUpRoutes(
  app: ServiceApp,
  { browser, setUp, limits, complete, trail }: SetUpRoutesOptions,
): void {
  const path = `${MOUNT}/set-up/:token` as const;

  app.hono.get(path, async (c) => {
    await limits.visit(c.env.address);
    const token = c.req.param('token');
    if (!(await setUp.isValid(token))) return browser.page(c, expiredLinkPage(), 404);
    return browser.page(c, setUpPage(token, {}));
  });

  app.hono.post(path, async (c) => {
    const { address, requestId } = c.env;
    await limits.visit(address);
    const token = c.req.param('token');
    const { email = '', name = '', password = '' } = await fieldsOf(c);
    const created = await setUp.create(token, { email, name, password });
    if (created === 'expired') return browser.page(c, expiredLinkPage(), 404);
    if (typeof created === 'string')
      return browser.page(c, { ...setUpPage(token, { email, name }), problem: problemText(created) }, 400);
    await trail.record({ action: 'createAccount', accountId: created.accountId, address, requestId });
    return c.redirect(await complete(c, NO_INTERACTION, { ...created, methods: ['link'] }), 303);
  });
}

function setUpPage(token: string, { email = '', name = '' }: { email?: string; name?: string }): Page {
  const texts = textsOf();
  return {
    title: texts.setUp,
    body: html`<p>${texts.setUpHelp}</p><form method="post" action="${MOUNT}/set-up/${token}" class="full">
<label>${texts.name}<input name="name" autocomplete="name" value="${name}" required autofocus></label>
<label>${texts.email}<input name="email" type="email" autocomplete="username" value="${email}" required></label>
<label>${texts.password}<input name="password" type="password" autocomplete="new-password" aria-describedby="help"></label>
<p class="muted" id="help">${texts.passwordHelp}</p>
<p><button class="primary">${texts.createAccount}</button></p></form>`,
  };
}
