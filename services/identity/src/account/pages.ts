import { html } from 'hono/html';
import encodeQR from 'qr';
import type { AccountRow } from '../accounts/store.ts';
import { MOUNT, type Page } from '../pages/document.ts';
import { textsOf } from '../pages/texts/languages.ts';
import type { PasskeyRow } from '../passkeys/store.ts';
import type { SessionRow } from '../sessions/store.ts';

const ACTION = `${MOUNT}/account`;

interface AccountPage {
  account: AccountRow;
  passkeys: PasskeyRow[];
  sessions: SessionRow[];
  current: SessionRow;
  consoleUrl: string;
  problem?: string | undefined;
}

const BROWSERS = [
  ['Edg', 'Edge'],
  ['Firefox', 'Firefox'],
  ['Chrome', 'Chrome'],
  ['Safari', 'Safari'],
] as const;

/** Returns the browser and the system of a User-Agent header; the header itself if they are unknown. */
function programOf(agent: string): string {
  const [, browser] = BROWSERS.find(([token]) => agent.includes(`${token}/`)) ?? [];
  const system = /Windows|Macintosh|Android|iPhone|iPad|Linux/.exec(agent)?.[0].replace('Macintosh', 'macOS');
  return browser === undefined || system === undefined ? agent : `${browser}, ${system}`;
}

const dayOf = (time: Date) => time.toISOString().slice(0, 16).replace('T', ' ');

export function accountPage(page: AccountPage): Page {
  const { account, passkeys, sessions, current, consoleUrl, problem } = page;
  const texts = textsOf();
  return {
    title: texts.account,
    isWide: true,
    problem,
    body: [
      html`<p>${account.name}<br><span class="muted">${account.email}</span></p><p><a class="button" href="${consoleUrl}">${texts.openConsole}</a></p>`,
      passkeysSection(passkeys),
      html`<h2>${texts.changeEmail}</h2><form method="post" action="${ACTION}/email">
<label>${texts.newEmail}<input name="email" type="email" autocomplete="email" required></label>
<p><button>${texts.sendLink}</button></p></form>`,
      html`<h2>${texts.changePassword}</h2><form method="post" action="${ACTION}/password">
<input type="hidden" name="username" value="${account.email}" autocomplete="username">
<label>${texts.newPassword}<input name="password" type="password" autocomplete="new-password" required></label>
<p><button>${texts.savePassword}</button></p></form>`,
      authenticatorSection(account.totpSecret !== null),
      sessionsSection(sessions, current),
    ],
  };
}

function passkeysSection(passkeys: PasskeyRow[]) {
  const texts = textsOf();
  const rows = passkeys.map(
    ({ id, name, createdAt }) => html`<li><span>${name} <span class="muted">${dayOf(createdAt)}</span></span>
<form method="post" action="${ACTION}/passkeys/remove"><input type="hidden" name="id" value="${id}"><button aria-label="${texts.removeNamed(name)}">${texts.remove}</button></form></li>`,
  );
  const list = rows.length === 0 ? html`<p class="muted">${texts.noPasskeys}</p>` : html`<ul>${rows}</ul>`;
  return html`<h2>${texts.passkeys}</h2>${list}
<form method="post" action="${ACTION}/passkeys" data-passkey="create" data-failed="${texts.wrongPasskey}"><p><button class="primary">${texts.addPasskey}</button></p></form>`;
}

function authenticatorSection(isOn: boolean) {
  const texts = textsOf();
  const form = isOn
    ? html`<form method="post" action="${ACTION}/authenticator/remove"><p><button>${texts.removeAuthenticator}</button></p></form>`
    : html`<p><a href="${ACTION}/authenticator">${texts.setUpAuthenticator}</a></p>`;
  return html`<h2>${texts.authenticator}</h2><p>${isOn ? texts.authenticatorOn : texts.authenticatorOff}</p>${form}`;
}

function sessionsSection(sessions: SessionRow[], current: SessionRow) {
  const texts = textsOf();
  const rows = sessions.map(({ id, agent, address, createdAt }) => {
    const end =
      id === current.id
        ? html`<span class="muted">${texts.thisSession}</span>`
        : html`<form method="post" action="${ACTION}/sessions/remove"><input type="hidden" name="id" value="${id}"><button>${texts.endSession}</button></form>`;
    return html`<li><span>${programOf(agent)}<br><span class="muted">${texts.signedInFrom(address)}, ${dayOf(createdAt)}</span></span>${end}</li>`;
  });
  return html`<h2>${texts.sessions}</h2><ul>${rows}</ul>
<div class="row"><form method="post" action="${ACTION}/sign-out"><button>${texts.signOut}</button></form>
<form method="post" action="${ACTION}/sign-out-everywhere"><button>${texts.signOutEverywhere}</button></form></div>`;
}

const qrCode = (text: string) =>
  `data:image/svg+xml;base64,${Buffer.from(encodeQR(text, 'svg')).toString('base64')}`;

/** Shows the secret for an authenticator app, and asks for a code of it. */
export function authenticatorPage(secret: string, url: string, ticket: string, problem?: string): Page {
  const texts = textsOf();
  return {
    title: texts.setUpAuthenticator,
    problem,
    body: html`<p>${texts.authenticatorKey}</p><p><img class="qr" width="180" height="180" alt="${texts.qrCode}" src="${qrCode(url)}"></p><p class="key"><a href="${url}"><code>${secret}</code></a></p>
<form method="post" action="${ACTION}/authenticator" class="full"><input type="hidden" name="ticket" value="${ticket}">
<label>${texts.code}<input name="code" inputmode="numeric" autocomplete="one-time-code" required autofocus></label>
<p><button class="primary">${texts.continue}</button></p></form>`,
  };
}

/** Asks a person who opened the link in an e-mail to confirm the new address. */
export function confirmEmailPage(token: string, email: string): Page {
  const texts = textsOf();
  return {
    title: texts.confirmEmail,
    body: html`<p>${email}</p><form method="post" action="${ACTION}/email/${token}" class="full">
<p><button class="primary">${texts.continue}</button></p></form>`,
  };
}

export function recoveryCodesPage(codes: string[]): Page {
  const texts = textsOf();
  return {
    title: texts.recoveryCodes,
    body: html`<p>${texts.recoveryCodesHelp}</p><ul class="codes">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
<p><a href="${ACTION}">${texts.done}</a></p>`,
  };
}
