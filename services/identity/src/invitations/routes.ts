import { ROLES } from '@switchboard/contracts';
import type { ServiceApp } from '@switchboard/http';
import { html } from 'hono/html';
import type { Accounts } from '../accounts/accounts.ts';
import { problemText } from '../accounts/problem-text.ts';
import { type Browser, type BrowserContext, fieldsOf } from '../browser/browser.ts';
import type { Limits } from '../limits/limits.ts';
import { expiredLinkPage, MOUNT, type Page } from '../pages/document.ts';
import { textsOf } from '../pages/texts/languages.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Complete } from '../sign-in/complete.ts';
import { NO_INTERACTION } from '../sign-in/pages.ts';
import type { Trail } from '../trail/trail.ts';
import type { Invitation, Invitations, SentInvitation } from './invitations.ts';

interface InvitationsRoutesOptions {
  accounts: Accounts;
  browser: Browser;
  complete: Complete;
  invitations: Invitations;
  limits: Limits;
  sessions: Sessions;
  trail: Trail;
}

export function invitationsRoutes(app: ServiceApp, options: InvitationsRoutesOptions): void {
  const { accounts, browser, complete, invitations, limits, sessions, trail } = options;
  const invite = `${MOUNT}/account/invite` as const;
  const accept = `${MOUNT}/invitation/:token` as const;

  const pathOf = (companyId: string) => `${invite}?${new URLSearchParams({ companyId })}`;
  const inviterOf = async (c: BrowserContext) => {
    const session = await sessions.find(browser.cookie(c));
    return session && accounts.find(session.accountId);
  };

  app.hono.get(invite, async (c) => {
    const inviter = await inviterOf(c);
    if (inviter === undefined) return c.redirect(`${MOUNT}/sign-in/account`, 303);
    const companyId = c.req.query('companyId');
    return browser.page(c, invitePage(await invitations.list(inviter, companyId), companyId));
  });

  app.hono.post(invite, async (c) => {
    const { address, requestId } = c.env;
    const inviter = await inviterOf(c);
    if (inviter === undefined) return c.redirect(`${MOUNT}/sign-in/account`, 303);
    const given = await fieldsOf(c);
    await limits.mail(address, `${inviter.id} ${given['email'] ?? ''}`);
    const sent = await invitations.send(inviter, given);
    if (typeof sent === 'string')
      return browser.page(
        c,
        {
          ...invitePage(await invitations.list(inviter, given['companyId']), given['companyId']),
          problem: textsOf().inviteProblems[sent],
        },
        400,
      );
    await trail.record({ action: 'invite', accountId: inviter.id, ...sent, address, requestId });
    const body = html`<p><a href="${pathOf(sent.companyId)}">${textsOf().invite}</a></p>`;
    return browser.page(c, { title: textsOf().invitationSent, body });
  });

  app.hono.post(`${invite}/revoke`, async (c) => {
    const { address, requestId } = c.env;
    const inviter = await inviterOf(c);
    if (inviter === undefined) return c.redirect(`${MOUNT}/sign-in/account`, 303);
    const { id = '' } = await fieldsOf(c);
    const revoked = await invitations.revoke(inviter, id);
    if (revoked === undefined) return c.redirect(invite, 303);
    await trail.record({ action: 'revokeInvitation', accountId: inviter.id, ...revoked, address, requestId });
    return c.redirect(pathOf(revoked.companyId), 303);
  });

  app.hono.get(accept, async (c) => {
    await limits.visit(c.env.address);
    const invitation = await invitations.find(c.req.param('token'));
    if (invitation === undefined) return browser.page(c, expiredLinkPage(), 404);
    return browser.page(c, acceptPage(c.req.param('token'), invitation));
  });

  app.hono.post(accept, async (c) => {
    const { address, requestId } = c.env;
    const token = c.req.param('token');
    await limits.visit(address);
    const invitation = await invitations.find(token);
    if (invitation === undefined) return browser.page(c, expiredLinkPage(), 404);
    const { name = '', password = '' } = await fieldsOf(c);
    const accepted = await invitations.accept(token, { name, password });
    if (accepted === 'expired') return browser.page(c, expiredLinkPage(), 404);
    if (typeof accepted === 'string')
      return browser.page(c, { ...acceptPage(token, invitation, name), problem: problemText(accepted) }, 400);
    const { accountId, companyId, isNew } = accepted;
    await trail.record({ action: 'acceptInvitation', accountId, companyId, address, requestId });
    // The link proves the address. It does not replace the factors of an account that exists.
    if (!isNew) return c.redirect(`${MOUNT}/sign-in/account`, 303);
    return c.redirect(await complete(c, NO_INTERACTION, { accountId, methods: ['link'] }), 303);
  });
}

function invitePage(sent: SentInvitation[], companyId = ''): Page {
  const texts = textsOf();
  return {
    title: texts.invite,
    body: html`<form method="post" action="${MOUNT}/account/invite" class="full">
<label>${texts.company}<input name="companyId" value="${companyId}" required autofocus></label>
<label>${texts.email}<input name="email" type="email" required></label>
<label>${texts.role}<select name="role">${ROLES.map((role) => html`<option>${role}</option>`)}</select></label>
<p><button class="primary">${texts.sendInvitation}</button></p></form>${sent.length === 0 ? html`` : openInvitations(sent)}`,
  };
}

function openInvitations(sent: SentInvitation[]) {
  const texts = textsOf();
  const rows = sent.map(
    ({
      id,
      email,
      companyId,
      role,
    }) => html`<li><span>${email}<br><span class="muted">${companyId}, ${role}</span></span>
<form method="post" action="${MOUNT}/account/invite/revoke"><input type="hidden" name="id" value="${id}"><button aria-label="${texts.removeNamed(email)}">${texts.remove}</button></form></li>`,
  );
  return html`<h2>${texts.openInvitations}</h2><ul>${rows}</ul>`;
}

function acceptPage(token: string, { companyId, email, hasAccount }: Invitation, name = ''): Page {
  const texts = textsOf();
  const account = hasAccount
    ? html``
    : html`<label>${texts.name}<input name="name" autocomplete="name" value="${name}" required autofocus></label>
<label>${texts.password}<input name="password" type="password" autocomplete="new-password" aria-describedby="help"></label>
<p class="muted" id="help">${texts.passwordHelp}</p>`;
  return {
    title: texts.invitationTitle(companyId),
    body: html`<p>${email}</p><form method="post" action="${MOUNT}/invitation/${token}" class="full">${account}
<p><button class="primary">${texts.accept}</button></p></form>`,
  };
}
