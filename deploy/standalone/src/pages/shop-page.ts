import { logo } from '@switchboard/design';
import { html, raw } from 'hono/html';
import type { Addresses } from '../addresses.ts';
import { layout } from './layout.ts';

interface ShopPageOptions {
  urls: Addresses['urls'];
  key: string;
  /** Whether flags can be switched here. */
  isLocal: boolean;
}

/** Renders a small shop that uses the SDKs, with a panel that shows their activity. */
export const shopPage = ({ urls, key, isLocal }: ShopPageOptions) =>
  layout({
    title: 'Lumen Outdoor',
    name: 'shop',
    bodyClass: 'demo',
    data: { key, api: urls.api, events: urls.events, replay: urls.replay, canSwitch: String(isLocal) },
    body: html`
<div class="shop">
  <header class="shop-head">
    <a class="shop-brand" href="/demo">Lumen<span>Outdoor</span></a>
    <nav id="departments" aria-label="Departments"></nav>
    <div class="shop-tools">
      <button id="bell" class="tool" type="button" aria-expanded="false" aria-controls="inbox">Inbox <b id="unread" hidden></b></button>
      <button id="account" class="tool" type="button">Sign in</button>
    </div>
  </header>
  <div class="inbox-place"><div id="inbox" class="inbox" hidden></div></div>
  <main>
    <div class="shop-hero"><h1>Gear for the second day out.</h1><p>Five things that keep working when the weather does not.</p></div>
    <div class="goods"><ul id="products" class="products"></ul>
    <section class="basket" aria-labelledby="basket-title">
      <h2 id="basket-title">Basket</h2>
      <ul id="lines"></ul>
      <p class="total"><span>Total</span> <strong id="total">€0</strong></p>
      <button id="checkout" class="button primary" type="button" disabled>Place order</button>
      <p id="notice" class="notice" role="status"></p>
    </section></div>
  </main>
</div>
<nav class="dock" aria-label="Below the shop"><button id="chat" type="button">Chat</button><a href="#panel" id="peek">Events</a></nav>
<aside class="panel" id="panel" aria-label="Data in Switchboard">
  <header><a href="/">${raw(logo(24))} Switchboard</a><span id="link" class="pill">connecting</span></header>
  <section><h2>Visitor</h2><dl class="facts"><div><dt>Person</dt><dd id="person"></dd></div><div><dt>Session</dt><dd id="session"></dd></div><div><dt>Ids</dt><dd id="ids"></dd></div></dl>
    <p class="hint">Sign-in joins the anonymous id. <code>switchboard ids part</code> parts it.</p>
    <button id="record" class="switch-row" type="button" aria-pressed="false"><span>Record this visit</span><i class="switch"></i></button></section>
  <section><h2>Flags <small>for this visitor</small></h2><ul id="flags" class="flags"></ul>
    <p class="hint">Also <code>curl</code> or the <code>switchboard</code> command: the page updates within a second.</p></section>
  <section><h2>Support <small>answer as Grace Hopper</small></h2>
    <form id="answer" class="answer"><input id="words" aria-label="Answer" maxlength="1000" autocomplete="off" placeholder="We are on it."><button class="button small" type="submit">Send</button></form>
    <p class="hint" id="answered" role="status">Write in the chat first.</p></section>
  <section class="grow"><h2>Events <small>queued, accepted, archived</small></h2><ol id="events" class="events" aria-live="off"></ol></section>
</aside>`,
  });
