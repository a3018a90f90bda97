import type { OpenedService } from '@switchboard/http';
import { commonSettings, encryptionSecrets, eventLogSettings, networkList } from '@switchboard/runtime';
import { z } from 'zod';

export const deliverySettings = z.object({
  ...commonSettings,
  ...eventLogSettings,
  WEBHOOK_SECRET: encryptionSecrets.describe(
    'Secrets for the signing secrets of webhooks at rest: the first one encrypts, all of them decrypt.',
  ),
  WEBHOOK_PRIVATE_NETWORKS: networkList.describe(
    'Private networks that webhooks may send to. Members choose URLs, so list only networks of your own receivers.',
  ),
});

export type DeliveryConfig = z.output<typeof deliverySettings>;
/** The service as its features see it. */
export type Delivery = OpenedService<DeliveryConfig>;
