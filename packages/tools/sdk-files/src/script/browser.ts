import * as browser from '@switchboard/browser';
import type { Messenger, MessengerOptions } from '@switchboard/messenger';
import type { Replay, ReplayOptions } from '@switchboard/replay';

/** The names of the other scripts, which the build inserts. */
declare const REPLAY_SCRIPT: string;
declare const MESSENGER_SCRIPT: string;

// import() cannot resolve the URL of a script from another host. The page provides it only while the script
// runs.
const { currentScript } = document;
const address = currentScript instanceof HTMLScriptElement ? currentScript.src : document.baseURI;
const load = (name: string): Promise<unknown> => import(new URL(name, address).href);

/**
 * The global `switchboard` that `/sdk/browser.js` adds to a page. Replay and messenger are loaded when they are
 * started. Both resolve to undefined if their script cannot be loaded.
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

// A property and not a variable, so that a page may have its own `const switchboard`.
Object.assign(globalThis, { switchboard });
