import { isObject, textOf } from '../core/values.ts';

/** The messages between the console and the preview, a sandboxed document that shows the widget. */

export const VIEWS = ['home', 'conversation', 'rating', 'message', 'closed'] as const;
export type View = (typeof VIEWS)[number];

/** The content of the preview. */
export interface Shown {
  kind: 'show';
  /** The configuration as a visitor reads it. */
  configuration: unknown;
  /** The language of the visitor, as a BCP 47 tag. */
  locale: string;
  view: View;
  /** Whether the visitor's system is dark. */
  isDark: boolean;
  /** An in-app message of the inbox. */
  message?: { title: string; body: string };
  /** Addresses of the team's pictures by `avatarUrl`. */
  pictures: Readonly<Record<string, string>>;
}

/** Returns what the console asked to show. Returns undefined for any other message. */
export function parseShown(data: unknown): Shown | undefined {
  if (!isObject(data) || data['kind'] !== 'show') return undefined;
  const { configuration, locale, view, isDark, message } = data;
  const shownView = VIEWS.find((one) => one === view);
  if (shownView === undefined) return undefined;
  const pictures = isObject(data['pictures']) ? Object.entries(data['pictures']) : [];
  return {
    kind: 'show',
    configuration,
    locale: textOf(locale) || 'en',
    view: shownView,
    isDark: isDark === true,
    ...(isObject(message) && { message: { title: textOf(message['title']), body: textOf(message['body']) } }),
    pictures: Object.fromEntries(pictures.map(([path, address]) => [path, textOf(address)])),
  };
}

/** Whether the message says that the preview waits for what to show. */
export const isReady = (data: unknown): boolean => isObject(data) && data['kind'] === 'ready';
