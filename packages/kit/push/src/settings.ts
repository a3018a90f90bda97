import { networkList } from '@switchboard/runtime';
import { z } from 'zod';

/** The settings of web pushes. A service also checks `completeVapid`. */
export const pushSettings = {
  VAPID_PUBLIC_KEY: z
    .string()
    .regex(/^[A-Za-z0-9_-]{87}$/, 'not a VAPID public key (65 bytes, base64url)')
    .optional()
    .meta({ values: '65 bytes, base64url' })
    .describe('Public key of push subscriptions; without it no pushes are sent.'),
  VAPID_PRIVATE_KEY: z
    .string()
    .regex(/^[A-Za-z0-9_-]{43}$/, 'not a VAPID private key (32 bytes, base64url)')
    .optional()
    .meta({ values: '32 bytes, base64url', secret: true })
    .describe('Private key of VAPID_PUBLIC_KEY.'),
  PUSH_PRIVATE_NETWORKS: networkList.describe(
    'Private networks that push endpoints may be in. Members choose endpoints, so list only networks of your own push service.',
  ),
};

export type PushConfig = z.output<z.ZodObject<typeof pushSettings>>;

/** Requires both VAPID keys or neither; for `z.object(...).check(...)`. */
export function completeVapid({ value, issues }: z.core.ParsePayload<PushConfig>): void {
  if ((value.VAPID_PUBLIC_KEY === undefined) === (value.VAPID_PRIVATE_KEY === undefined)) return;
  const message = 'set both VAPID keys or neither';
  issues.push({ code: 'custom', input: value, path: ['VAPID_PRIVATE_KEY'], message });
}
