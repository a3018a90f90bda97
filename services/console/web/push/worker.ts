/** A push, as the services send it. */
interface Push {
  title: string;
  body: string;
  url: string;
  /** Equal for pushes of which only the latest is shown. */
  tag: string;
}

interface Extendable {
  waitUntil(work: Promise<unknown>): void;
}

interface WindowClient {
  url: string;
  focused: boolean;
  focus(): Promise<unknown>;
  postMessage(message: unknown): void;
}

declare const self: {
  location: Location;
  registration: ServiceWorkerRegistration;
  clients: {
    matchAll(options: { type: 'window'; includeUncontrolled: boolean }): Promise<WindowClient[]>;
    openWindow(url: string): Promise<unknown>;
  };
  addEventListener(
    type: 'push',
    listener: (event: Extendable & { data: { json(): Push } | null }) => void,
  ): void;
  addEventListener(
    type: 'notificationclick',
    listener: (event: Extendable & { notification: Notification }) => void,
  ): void;
};

self.addEventListener('push', (event) => {
  if (event.data !== null) event.waitUntil(show(event.data.json()));
});
self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(open(String(event.notification.data)));
});

const windows = () => self.clients.matchAll({ type: 'window', includeUncontrolled: true });

/** Shows a push unless the person looks at the inbox that it leads to. */
async function show({ title, body, url, tag }: Push): Promise<void> {
  const { pathname } = new URL(url, self.location.origin);
  const isSeen = (await windows()).some((one) => one.focused && new URL(one.url).pathname === pathname);
  if (!isSeen) await self.registration.showNotification(title, { body, tag, data: url });
}

/** Opens an address in a window of the console, or in a new one. */
async function open(url: string): Promise<void> {
  const { origin, pathname, search } = new URL(url, self.location.origin);
  // The address of another site is not opened.
  if (origin !== self.location.origin) return;
  // Pages of projects listen, and show the address without loading it.
  const first = (await windows()).find((one) => new URL(one.url).pathname.startsWith('/projects/'));
  if (first === undefined) {
    await self.clients.openWindow(pathname + search);
    return;
  }
  first.postMessage({ open: pathname + search });
  await first.focus();
}
