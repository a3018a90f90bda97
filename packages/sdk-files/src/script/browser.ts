import * as browser from '@switchboard/browser';
import type { Messenger, MessengerOptions } from '@switchboard/messenger';
import type { Replay, ReplayOptions } from '@switchboard/replay';

/** The names of the other scripts, which the build puts in. */
declare const REPLAY_SCRIPT: string;
declare const MESSENGER_SCRIPT: string;

// Of a script of another host, import() does not know the address. Only while it runs does the page name it.
const { currentScript } = document;
const address = currentScript instanceof HTMLScriptElement ? currentScript.src : document.baseURI;
const load = (name: string): Promise<unknown> => import(new URL(name, address).href);

/**
 * What `/sdk/browser.js` adds to a page as the global `switchboard`. Replay and messenger are loaded when they are
 * started; both resolve to undefined if their script cannot be loaded.
 */
const switchboard = {
  ...browser,
  async startReplay(client: browser.Client, options?: ReplayOptions): Promise<Replay | undefined> {
    const script = await load(REPLAY_SCRIPT).catch(() => undefined);
    return isReplay(script) ? script.startReplay(client, options) : undefined;
  },
  async startMessenger(client: browser.Client, options?: MessengerOptions): Promise<Messenger | undefined> {
    const script = await load(MESSENGER_SCRIPT).catch(() => undefined);
    return isMessenger(script) ? script.startMessenger(client, options) : undefined;
  },
};

type ReplayScript = typeof import('@switchboard/replay');
type MessengerScript = typeof import('@switchboard/messenger');

function isReplay(script: unknown): script is ReplayScript {
  return typeof script === 'object' && script !== null && 'startReplay' in script;
}

function isMessenger(script: unknown): script is MessengerScript {
  return typeof script === 'object' && script !== null && 'startMessenger' in script;
}

// As a property and no variable, so that a page may have a `const switchboard` of its own.
Object.assign(globalThis, { switchboard });
