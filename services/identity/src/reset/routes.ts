import type { ServiceApp } from '@switchboard/http';
import { html } from 'hono/html';
import { problemText } from '../accounts/problem-text.ts';
import { type Browser, fieldsOf } from '../browser/browser.ts';
import type { Limits } from '../limits/limits.ts';
import { expiredLinkPage, MOUNT, type Page } from '../pages/document.ts';
import { textsOf } from '../pages/texts/languages.ts';
import type { Reset } from './reset.ts';

interface ResetRoutesOptions {
  browser: Browser;
  limits: Limits;
  reset: Reset;
}

export function resetRoutes(app: ServiceApp, { browser, limits, reset }: ResetRoutesOptions): void {
  const path = `${MOUNT}/reset` as const;

  app.hono.get(path, (c) => browser.page(c, requestPage()));

  app.hono.post(path, async (c) => {
    const { email = '' } = await fieldsOf(c);
    await limits.mail(c.env.address, email.trim().toLowerCase());
    reset.request(c.env, email);
    const texts = textsOf();
    return browser.page(c, { title: texts.linkSent, body: html`<p>${texts.linkSentHelp}</p>` });
  });

  app.hono.get(`${path}/:token`, async (c) => {
    await limits.visit(c.env.address);
    const token = c.req.param('token');
    if (!(await reset.isValid(token))) return browser.page(c, expiredLinkPage(), 404);
    return browser.page(c, passwordPage(token));
  });

  app.hono.post(`${path}/:token`, async (c) => {
    await limits.visit(c.env.address);
    const token = c.req.param('token');
    const { password = '' } = await fieldsOf(c);
    const result = await reset.set(c.env, token, password);
    if (result === 'expired') return browser.page(c, expiredLinkPage(), 404);
    if (result === 'done') return c.redirect(`${MOUNT}/sign-in/account`, 303);
    return browser.page(c, { ...passwordPage(token), problem: problemText(result) }, 400);
  });
}

function requestPage(): Page {
  const texts = textsOf();
  return {
    title: texts.resetTitle,
    body: html`<form method="post" action="${MOUNT}/reset" class="full">
<label>${texts.email}<input name="email" type="email" autocomplete="username" required autofocus></label>
<p><button class="primary">${texts.sendLink}</button></p></form>`,
  };
}

function passwordPage(token: string): Page {
  const texts = textsOf();
  return {
    title: texts.resetTitle,
    body: html`<form method="post" action="${MOUNT}/reset/${token}" class="full">
<label>${texts.newPassword}<input name="password" type="password" autocomplete="new-password" required autofocus></label>
<p><button class="primary">${texts.savePassword}</button></p></form>`,
  };
}
