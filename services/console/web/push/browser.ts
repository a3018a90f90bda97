/** The script that shows pushes. Its scope has no pages, so it controls none. */
const WORKER = { url: '/push-worker.js', scope: '/push/' };

/** The policy of trusted types that the page allows for the address of the script. */
const POLICY = 'push-worker';

/** Whether the browser can show pushes. */
export const canPush = (): boolean => 'serviceWorker' in navigator && 'PushManager' in window;

let policy: ReturnType<NonNullable<Window['trustedTypes']>['createPolicy']> | undefined;

async function register(): Promise<ServiceWorkerRegistration> {
  // The page may create the policy only once.
  policy ??= window.trustedTypes?.createPolicy(POLICY, { createScriptURL: (url) => url });
  const url = policy?.createScriptURL(WORKER.url) ?? WORKER.url;
  return await navigator.serviceWorker.register(url, { scope: WORKER.scope });
}

/** Waits until the worker of a registration can get pushes, or until its installation fails. */
async function activated({ active, waiting, installing }: ServiceWorkerRegistration): Promise<void> {
  const worker = installing ?? waiting;
  if (active !== null || worker === null) return;
  await new Promise<void>((resolve) => {
    worker.addEventListener('statechange', () => {
      if (worker.state === 'activated' || worker.state === 'redundant') resolve();
    });
  });
}

/** Subscribes the browser with a VAPID key. Replaces a subscription with another key. */
export async function subscribe(applicationServerKey: string): Promise<PushSubscription> {
  const registration = (await found()) ?? (await register());
  await activated(registration);
  const { pushManager } = registration;
  const existing = await pushManager.getSubscription();
  if (existing !== null && keyOf(existing) === applicationServerKey) return existing;
  await existing?.unsubscribe();
  return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
}

function keyOf({ options: { applicationServerKey } }: PushSubscription): string {
  const bytes = String.fromCharCode(...new Uint8Array(applicationServerKey ?? new ArrayBuffer(0)));
  return btoa(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

const found = () => navigator.serviceWorker.getRegistration(WORKER.scope);

/** Returns the address of the subscription of the browser, if it has one. */
export async function currentEndpoint(): Promise<string | undefined> {
  const subscription = await (await found())?.pushManager.getSubscription();
  return subscription?.endpoint;
}

/** Ends the pushes of all projects to the browser. */
export async function endPushes(): Promise<void> {
  if (canPush()) await (await found())?.unregister();
}
