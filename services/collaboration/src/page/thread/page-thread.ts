import { parentPort } from 'node:worker_threads';
import { createBirpc } from 'birpc';
import { createLocale, type Locale } from '../render/locale.ts';
import { renderPage } from '../render/render.ts';
import type { PageLanguage } from '../texts/languages.ts';
import type { Asked, ThreadCalls } from './calls.ts';

/** The entry point of the worker thread. See `createRenderer`. */

const port = parentPort;
if (port === null) throw new Error('page-thread.ts runs in a worker thread');

const locales = new Map<PageLanguage, Locale>();
function localeOf(language: PageLanguage): Locale {
  const known = locales.get(language) ?? createLocale(language);
  locales.set(language, known);
  return known;
}

const calls: ThreadCalls = {
  render: ({ shown, language }: Asked) => renderPage(shown, localeOf(language)),
};

createBirpc<object, ThreadCalls>(calls, {
  post: (message) => port.postMessage(message),
  on: (receive) => port.on('message', receive),
});
