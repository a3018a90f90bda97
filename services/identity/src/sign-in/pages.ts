import { html } from 'hono/html';
import { MOUNT, type Page } from '../pages/document.ts';
import { textsOf } from '../pages/texts/languages.ts';
import type { Interaction } from './interactions.ts';

/** The id of a sign-in that no application asked for: it leads to the account's page. */
export const NO_INTERACTION = 'account';

interface SignInPage {
  uid: string;
  interaction: Interaction | undefined;
  email?: string;
  problem?: string | undefined;
  /** The keys and names of the deployment's providers. */
  upstreams: readonly { key: string; name: string }[];
  /** The people of a demo, who sign in with one click. */
  people: readonly { id: string; name: string }[];
}

export function signInPage({ uid, interaction, email = '', problem, upstreams, people }: SignInPage): Page {
  const texts = textsOf();
  const action = `${MOUNT}/sign-in/${uid}`;
  return {
    title: interaction === undefined ? texts.signIn : texts.signInTo(interaction.application),
    problem,
    body: html`${people.map(({ id, name }) => html`<form method="post" action="${action}/as/${id}" class="full"><p><button>${texts.continueAs(name)}</button></p></form>`)}
<form method="post" action="${action}" class="full">
<label>${texts.email}<input name="email" type="email" autocomplete="username webauthn" value="${email}" required autofocus></label>
<label>${texts.password}<input name="password" type="password" autocomplete="current-password" required></label>
<p><button class="primary">${texts.signIn}</button></p></form>
<p class="or">${texts.or}</p>
<form method="post" action="${action}/passkey" class="full" data-passkey="get" data-failed="${texts.wrongPasskey}"><p><button>${texts.usePasskey}</button></p></form>
${upstreams.map(({ key, name }) => html`<p><a class="button" href="${action}/with/${key}">${texts.continueWith(name)}</a></p>`)}
<p><a href="${action}/sso">${texts.singleSignOn}</a></p>
<p><a href="${MOUNT}/reset">${texts.forgot}</a></p>`,
  };
}

export function codePage(uid: string, ticket: string, problem?: string): Page {
  const texts = textsOf();
  return {
    title: texts.codeTitle,
    problem,
    body: html`<p>${texts.codeHelp}</p><form method="post" action="${MOUNT}/sign-in/${uid}/code" class="full">
<input type="hidden" name="ticket" value="${ticket}">
<label>${texts.code}<input name="code" inputmode="numeric" autocomplete="one-time-code" required autofocus></label>
<p><button class="primary">${texts.continue}</button></p></form>`,
  };
}

export function consentPage(uid: string, { application }: Interaction): Page {
  const texts = textsOf();
  return {
    title: texts.consentTitle(application),
    body: html`<p>${texts.consentHelp}</p><form method="post" action="${MOUNT}/sign-in/${uid}/consent">
<p class="row"><button class="primary" name="allow" value="yes">${texts.allow}</button><button name="allow" value="no">${texts.cancel}</button></p></form>`,
  };
}

export function expiredPage(): Page {
  const texts = textsOf();
  return { title: texts.requestExpired, body: html`<p>${texts.requestExpiredHelp}</p>` };
}
