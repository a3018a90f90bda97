import { useCallback, useEffect, useSyncExternalStore } from 'react';
import { api, queries, useCall } from '../app/api.ts';
import { usePlace } from '../app/project.ts';
import { canPush, currentEndpoint, subscribe } from '../push/browser.ts';
import { useGranted } from './use-granted.ts';

/** The endpoint of the browser's subscription, once this page has checked it. */
let endpoint: string | undefined;
const listeners = new Set<() => void>();

function changed(): void {
  for (const listener of listeners) listener();
}

// Another tab turned pushes on or off.
addEventListener('storage', changed);

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function remember(key: string, isWanted: boolean): void {
  if (isWanted) localStorage.setItem(key, 'on');
  else localStorage.removeItem(key);
  changed();
}

/** The pushes of the project to this browser. The person turns them on for the browser, which remembers it. */
export function usePush() {
  const { project, me, may } = usePlace();
  const params = { projectId: project.id };
  const stored = `push:${project.id}:${me.sub}`;
  const isWanted = useSyncExternalStore(listen, () => localStorage.getItem(stored) === 'on');
  const own = useSyncExternalStore(listen, () => endpoint);
  const isGranted = useGranted();
  const mayPush = canPush() && may('conversations.reply');
  const { data } = useCall(
    ['listPushSubscriptions', project.id],
    (client, options) => client.call('listPushSubscriptions', { params }, options),
    { enabled: mayPush },
  );
  const key = data?.applicationServerKey ?? undefined;
  const known = data?.subscriptions;

  /** Subscribes the browser, unless the service knows its subscription. */
  const keep = useCallback(async () => {
    if (key === undefined || known === undefined) return;
    const subscription = (await subscribe(key)).toJSON();
    if (subscription.endpoint === undefined) return;
    endpoint = subscription.endpoint;
    changed();
    if (known.some((one) => one.endpoint === endpoint)) return;
    const { p256dh = '', auth = '' } = subscription.keys ?? {};
    const body = { endpoint, keys: { p256dh, auth } };
    await (await api()).call('addPushSubscription', { params: { projectId: project.id }, body });
    await queries.invalidateQueries({ queryKey: ['listPushSubscriptions', project.id] });
  }, [key, known, project.id]);

  async function turnOn(): Promise<boolean> {
    if ((await Notification.requestPermission()) !== 'granted') return false;
    await keep();
    remember(stored, true);
    return true;
  }

  async function turnOff(): Promise<void> {
    const current = await currentEndpoint();
    const subscription = known?.find((one) => one.endpoint === current);
    remember(stored, false);
    if (subscription === undefined) return;
    try {
      const removed = { ...params, subscriptionId: subscription.id };
      await (await api()).call('removePushSubscription', { params: removed });
    } catch (error) {
      remember(stored, true);
      throw error;
    }
    await queries.invalidateQueries({ queryKey: ['listPushSubscriptions', project.id] });
  }

  const isSubscribed = known?.some((one) => one.endpoint === own) === true;
  return {
    isPossible: mayPush && key !== undefined,
    isWanted: isWanted && isGranted,
    isOn: isWanted && isGranted && isSubscribed,
    keep,
    turnOn,
    turnOff,
  };
}

/** Replaces a subscription of the browser that has ended or has an old key. Returns whether the browser gets pushes. */
export function useKeptPush(): boolean {
  const { isWanted, isOn, keep } = usePush();
  useEffect(() => {
    // The browser may be offline, or its push service away: the next page tries again.
    if (isWanted) keep().catch(() => undefined);
  }, [isWanted, keep]);
  return isOn;
}
