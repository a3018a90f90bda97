import { init } from '@switchboard/browser';

const settings = JSON.parse(document.body.dataset.settings);
const switchboard = init({
  key: settings.key,
  host: settings.api,
  eventsHost: settings.events,
  replayHost: settings.replay,
  flushMs: 300,
  pageViews: true,
  onError: ({ code, message }) => say(`${code}: ${message}`),
});

const PRODUCTS = [
  { product: 'Trail tent', price: 289, tone: 'moss', note: 'Two people, 1.9 kg' },
  { product: 'Down sleeping bag', price: 199, tone: 'dusk', note: 'Warm to -5 °C' },
  { product: 'Gas stove', price: 59, tone: 'ember', note: 'Boils in three minutes' },
  { product: 'Head torch', price: 35, tone: 'night', note: '400 lumens' },
  { product: 'Enamel mug', price: 12, tone: 'snow', note: 'Chips with dignity' },
];
/** Line drawings on a canvas of 120 by 80. */
const DRAWINGS = {
  'Trail tent': 'M10 68 60 14l50 54H10ZM60 14v54M60 30 44 68M60 30l16 38',
  'Down sleeping bag':
    'M28 12h64q10 0 10 12v44q0 6-8 6H26q-8 0-8-6V24q0-12 10-12ZM18 34h84M18 48h84M18 62h84M46 12q14 16 28 0',
  'Gas stove':
    'M40 72h40V52H40ZM46 52V42h28v10M36 42h48M28 30h64M36 42l-8-12M84 42l8-12M52 28q-2-10 8-18 10 8 8 18',
  'Head torch':
    'M20 40q0-26 40-26t40 26M44 32h32q4 0 4 4v18q0 4-4 4H44q-4 0-4-4V36q0-4 4-4ZM60 45m-7 0a7 7 0 1 0 14 0a7 7 0 1 0-14 0M48 66l-4 10M60 66v12M72 66l4 10M20 40l20 6M100 40 80 46',
  'Enamel mug': 'M34 16h46v46q0 10-10 10H44q-10 0-10-10ZM80 28h8q12 0 12 14t-12 14h-8M30 16h54',
};
const DEPARTMENTS = ['Tents', 'Sleeping', 'Cooking', 'Light'];
const ACTIVITIES = ['Hike', 'Camp', 'Climb', 'Winter'];
const SHOWN_EVENTS = 30;

const byId = (id) => document.getElementById(id);
const basket = new Map();
/** The tracked events, newest first: { id, name, properties, state }. */
let tracked = [];
let rules = [];
let replay;

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) made.setAttribute(name, value === true ? '' : value);
  }
  made.append(...children);
  return made;
}

function drawing(product) {
  const SVG = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 120 84');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('d', DRAWINGS[product]);
  svg.append(path);
  return svg;
}

const euros = (amount) => `€${amount}`;
const say = (text) => {
  byId('notice').textContent = text;
};

async function track(name, properties) {
  const entry = { id: undefined, name, properties, state: 'queued' };
  tracked = [entry, ...tracked].slice(0, SHOWN_EVENTS);
  showEvents();
  entry.id = await switchboard.track(name, properties);
  if (entry.id === undefined) entry.state = 'refused';
  showEvents();
}

function showProducts() {
  byId('products').replaceChildren(
    ...PRODUCTS.map((one) =>
      element(
        'li',
        { class: `product ${one.tone}` },
        element('div', { class: 'picture' }, drawing(one.product)),
        element('div', { class: 'about' }, element('h3', {}, one.product), element('p', {}, one.note)),
        element(
          'div',
          { class: 'buy' },
          element('span', {}, euros(one.price)),
          element(
            'button',
            {
              class: 'button small',
              type: 'button',
              'aria-label': `Add ${one.product} to the basket`,
              onclick: () => add(one),
            },
            'Add',
          ),
        ),
      ),
    ),
  );
}

function add(one) {
  const quantity = (basket.get(one.product)?.quantity ?? 0) + 1;
  basket.set(one.product, { ...one, quantity });
  say('');
  showBasket();
  void track('product added to basket', { product: one.product, price: one.price, quantity });
}

function showBasket() {
  const lines = [...basket.values()];
  byId('lines').replaceChildren(
    ...(lines.length === 0
      ? [element('li', { class: 'empty' }, 'Nothing in it yet.')]
      : lines.map(({ product, price, quantity }) =>
          element(
            'li',
            {},
            element('span', {}, `${quantity} × ${product}`),
            element('span', {}, euros(price * quantity)),
          ),
        )),
  );
  byId('total').textContent = euros(total());
  byId('checkout').textContent = switchboard.flags.get('checkout-button', 'Place order');
  const isOpen = switchboard.flags.get('payments', true);
  byId('checkout').disabled = lines.length === 0 || !isOpen;
  if (!isOpen) say('Payments are paused: the flag payments is off.');
  else if (byId('notice').textContent.startsWith('Payments')) say('');
}

const total = () => [...basket.values()].reduce((sum, { price, quantity }) => sum + price * quantity, 0);

function order() {
  const lines = [...basket.values()];
  for (const { product, price, quantity } of lines)
    void track('order placed', { product, price, quantity, total: price * quantity });
  basket.clear();
  showBasket();
  say('Thank you. The order is on its way to the archive.');
}

function showNavigation() {
  const names = switchboard.flags.get('new-navigation', false) ? ACTIVITIES : DEPARTMENTS;
  byId('departments').replaceChildren(...names.map((name) => element('span', {}, name)));
}

function showPerson() {
  const isKnown = !switchboard.distinctId.startsWith('anonymous-');
  byId('person').textContent = switchboard.distinctId;
  byId('session').textContent = switchboard.sessionId;
  byId('account').textContent = isKnown ? 'Sign out' : 'Sign in as Ada';
}

/** Shows all ids of the person, which sign-in joins. */
async function showIds() {
  const shown = switchboard.distinctId;
  const answer =
    settings.canSwitch === 'true'
      ? await fetch(`/demo/state/people/${encodeURIComponent(shown)}`)
      : undefined;
  const ids = answer?.ok ? (await answer.json()).ids : [];
  if (shown !== switchboard.distinctId) return;
  byId('ids').textContent = ids.length > 1 ? `${ids.length}, joined: ${ids.join(', ')}` : '1';
}

function showFlags() {
  const values = switchboard.flags.all();
  byId('flags').replaceChildren(
    ...rules.map(({ key, description, enabled }) => {
      const value = values[key];
      const text =
        value === undefined ? '…' : typeof value === 'string' ? `"${value}"` : JSON.stringify(value);
      return element(
        'li',
        { title: description ?? key },
        element(
          'div',
          {},
          element('code', {}, key),
          element('span', { class: value === false || value === null ? 'value off' : 'value' }, text),
        ),
        element('button', {
          class: 'switch',
          type: 'button',
          role: 'switch',
          'aria-checked': String(enabled),
          'aria-label': `${key} enabled`,
          disabled: settings.canSwitch !== 'true',
          onclick: () => void setFlag(key, !enabled),
        }),
      );
    }),
  );
}

async function setFlag(key, enabled) {
  rules = rules.map((rule) => (rule.key === key ? { ...rule, enabled } : rule));
  showFlags();
  await fetch(`/demo/state/flags/${encodeURIComponent(key)}`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ enabled }),
  });
  await readRules();
}

async function readRules() {
  const answer = await fetch('/demo/state/flags');
  if (answer.ok) rules = (await answer.json()).flags;
  showFlags();
}

function showEvents() {
  const archived = tracked.filter(({ state }) => state === 'archived').length;
  byId('peek').textContent = `Events: ${tracked.length}, archived: ${archived}`;
  byId('events').replaceChildren(
    ...(tracked.length === 0
      ? [element('li', { class: 'empty' }, 'Click anything in the shop.')]
      : tracked.map(({ name, properties, state }) =>
          element(
            'li',
            { class: state },
            element('span', { class: 'dot', 'aria-hidden': 'true' }),
            element(
              'div',
              {},
              element('strong', {}, name),
              element('span', { class: 'properties' }, Object.values(properties ?? {}).join(' · ')),
            ),
            element('em', {}, state),
          ),
        )),
  );
}

const isOnTheWay = ({ id, state }) => id !== undefined && (state === 'queued' || state === 'accepted');

/** Polls the ids of the person, and the state of the events until each is archived. */
async function follow() {
  void showIds().catch(() => undefined);
  const ids = tracked.filter(isOnTheWay).map(({ id }) => id);
  if (ids.length > 0) {
    try {
      const answer = await fetch(`/demo/state/events?ids=${ids.join()}`);
      const { events } = await answer.json();
      byId('link').textContent = 'live';
      byId('link').classList.add('good');
      for (const entry of tracked) {
        const state = events[entry.id];
        if (state !== undefined && state !== 'not_seen') entry.state = state.replace('_', ' ');
      }
      showEvents();
    } catch {
      byId('link').textContent = 'offline';
      byId('link').classList.remove('good');
    }
  }
  setTimeout(follow, 1000);
}

function showInbox() {
  const messages = switchboard.inbox.messages();
  const unread = messages.filter(({ read }) => !read).length;
  byId('unread').hidden = unread === 0;
  byId('unread').textContent = String(unread);
  byId('inbox').replaceChildren(
    ...(messages.length === 0
      ? [element('p', { class: 'empty' }, 'No messages.')]
      : messages.map(({ title, body, read }) =>
          element(
            'article',
            { class: read ? '' : 'unread' },
            element('h3', {}, title),
            element('p', {}, body),
          ),
        )),
  );
}

byId('checkout').addEventListener('click', () => {
  void track('checkout begun', { total: total() });
  order();
});
byId('account').addEventListener('click', async () => {
  if (switchboard.distinctId === 'ada') switchboard.reset();
  else await switchboard.identify('ada', { plan: 'pro', email: 'ada@example.com' });
  showPerson();
});
byId('bell').addEventListener('click', () => {
  const isHidden = byId('inbox').toggleAttribute('hidden');
  byId('bell').setAttribute('aria-expanded', String(!isHidden));
  if (!isHidden)
    for (const { id, read } of switchboard.inbox.messages()) if (!read) void switchboard.inbox.markRead(id);
});
byId('record').addEventListener('click', async () => {
  if (replay?.isRecording) replay.stop();
  else {
    const { startReplay } = await import('@switchboard/replay');
    replay = startReplay(switchboard, {
      console: true,
      onError: ({ message }) => say(`Replay: ${message}`),
    });
  }
  byId('record').setAttribute('aria-pressed', String(replay.isRecording));
});

byId('answer').addEventListener('submit', async (event) => {
  event.preventDefault();
  const body = byId('words').value.trim() || byId('words').placeholder;
  const answer = await fetch('/demo/state/answers', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ distinctId: switchboard.distinctId, body }),
  });
  if (answer.ok) byId('words').value = '';
  byId('answered').textContent = answer.ok
    ? 'Sent. The chat shows it at once.'
    : answer.status === 404
      ? 'Write in the chat first.'
      : 'Answers are sent on a loopback address only.';
});

async function startSupport() {
  const { startMessenger } = await import('@switchboard/messenger');
  const isCompact = matchMedia('(max-width: 999px)').matches;
  document.body.classList.toggle('compact', isCompact);
  const messenger = startMessenger(switchboard, {
    launcher: !isCompact,
    onError: ({ message }) => say(`Messenger: ${message}`),
  });
  const show = () => {
    byId('chat').textContent = messenger.unread > 0 ? `Chat: ${messenger.unread} new` : 'Chat';
  };
  messenger.onChange(show);
  byId('chat').addEventListener('click', () => messenger.open());
  show();
}

switchboard.onChange(showPerson);
switchboard.inbox.onChange(showInbox);
switchboard.flags.onChange(() => {
  showBasket();
  showNavigation();
  void readRules();
});
showProducts();
showBasket();
showNavigation();
showPerson();
showInbox();
showEvents();
void readRules();
void track('shop opened', { path: location.pathname });
void follow();
void startSupport();
