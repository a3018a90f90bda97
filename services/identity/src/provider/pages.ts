import { html } from 'hono/html';
import { renderPage } from '../pages/document.ts';
import { textsOf } from '../pages/texts/languages.ts';

/** The address of a form of the provider, and its token against forged requests. */
export interface ProviderForm {
  action: string;
  xsrf: string;
}

/** Asks for the code that a device shows. */
export function deviceCodePage({ action, xsrf }: ProviderForm, hasFailed: boolean): string {
  const texts = textsOf();
  return renderPage({
    title: texts.deviceTitle,
    problem: hasFailed ? texts.deviceWrong : undefined,
    body: html`<form method="post" action="${action}"><input type="hidden" name="xsrf" value="${xsrf}">
<label>${texts.deviceCode}<input name="user_code" autocomplete="off" autocapitalize="characters" spellcheck="false" required autofocus></label>
<p class="row"><button class="primary">${texts.continue}</button></p></form>`,
  });
}

/** Asks whether the device with this code may use the account. */
export function deviceConfirmPage({ action, xsrf }: ProviderForm, application: string, code: string): string {
  const texts = textsOf();
  return renderPage({
    title: texts.deviceConfirm(application),
    body: html`<p>${texts.deviceConfirmHelp}</p><p class="key"><code>${code}</code></p>
<form method="post" action="${action}"><input type="hidden" name="xsrf" value="${xsrf}"><input type="hidden" name="user_code" value="${code}">
<p class="row"><button class="primary" name="confirm" value="yes">${texts.allow}</button><button name="abort" value="yes">${texts.cancel}</button></p></form>`,
  });
}

export function deviceDonePage(): string {
  const texts = textsOf();
  return renderPage({ title: texts.deviceDone, body: html`<p>${texts.deviceDoneHelp}</p>` });
}

/** Asks whether to sign out. */
export function signOutPage({ action, xsrf }: ProviderForm, application: string): string {
  const texts = textsOf();
  return renderPage({
    title: texts.signOutOf(application),
    body: html`<form method="post" action="${action}"><input type="hidden" name="xsrf" value="${xsrf}">
<p class="row"><button class="primary" name="logout" value="yes">${texts.signOut}</button><button>${texts.stay}</button></p></form>`,
  });
}

export function signedOutPage(): string {
  return renderPage({ title: textsOf().signedOut, body: [] });
}

export function errorPage(reason: string): string {
  return renderPage({ title: textsOf().failed, body: html`<p>${reason}</p>` });
}
