import type { OpenedService } from '@switchboard/http';
import { commonSettings, encryptionSecrets, eventLogSettings, webhookSettings } from '@switchboard/runtime';
import { z } from 'zod';

export const deliverySettings = z.object({
  ...commonSettings,
  ...eventLogSettings,
  WEBHOOK_SECRET: encryptionSecrets.describe(
    'Secrets for the signing secrets of webhooks at rest: the first one encrypts, all of them decrypt.',
  ),
  ...webhookSettings,
});

export type DeliveryConfig = z.output<typeof deliverySettings>;
/** The service as its features see it. */
export type Delivery = OpenedService<DeliveryConfig>;
