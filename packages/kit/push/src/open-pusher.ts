import { createSender, type Metrics, measureCalls, strangersNames } from '@switchboard/runtime';
import { type Pusher, webPusher } from './pusher.ts';
import type { PushConfig } from './settings.ts';

const TIMEOUT_MS = 10_000;

type Config = PushConfig & { MAIL_FROM: string } & Parameters<typeof createSender>[0]['config'];

/** Opens the sender of web pushes. Undefined if no VAPID keys are set. */
export function openPusher(config: Config, metrics: Metrics): Pusher | undefined {
  const { VAPID_PUBLIC_KEY, VAPID_PRIVATE_KEY, MAIL_FROM, PUSH_PRIVATE_NETWORKS } = config;
  if (VAPID_PUBLIC_KEY === undefined || VAPID_PRIVATE_KEY === undefined) return undefined;
  const keys = {
    publicKey: VAPID_PUBLIC_KEY,
    privateKey: VAPID_PRIVATE_KEY,
    subject: `mailto:${MAIL_FROM}`,
  };
  const privateNetworks = { setting: 'PUSH_PRIVATE_NETWORKS', networks: PUSH_PRIVATE_NETWORKS };
  const resolve = strangersNames();
  const measure = measureCalls({ metrics, dependency: 'push service' });
  const bounds = { timeoutMs: TIMEOUT_MS, maxBytes: 0 };
  return webPusher(keys, createSender({ config, ...bounds, privateNetworks, measure, resolve }));
}
