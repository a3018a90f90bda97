import { z } from '@hono/zod-openapi';
import { flagHookId } from '../fields/ids.ts';
import { jsonBody, jsonResponse } from '../operation/bodies.ts';
import { operation } from '../operation/operation.ts';

const call = z
  .looseObject({
    status: z.unknown().optional().openapi({
      description: 'resolved: the alert is over, and the flag does not change.',
      example: 'firing',
    }),
    action: z.unknown().optional().openapi({ description: 'The same as status, as Sentry sends it.' }),
    type: z.unknown().optional().openapi({
      description: 'alert.recovered, in a webhook of Switchboard: the flag does not change.',
    }),
  })
  .openapi('FlagHookCall', { description: 'The notification of the monitor. Other fields are ignored.' });

export const callFlagHook = operation({
  service: 'flags',
  host: 'api',
  credential: 'public',
  errorShape: 'B',
  tag: 'Flags',
  operationId: 'callFlagHook',
  method: 'post',
  path: '/v1/flag-hooks/{hookId}',
  summary: 'Switch a flag off by its hook',
  description:
    'For alerts of monitors. Send the secret of the hook as Authorization: Bearer <secret>, or sign the body with it: by Standard Webhooks, or as the hexadecimal HMAC-SHA256 in Sentry-Hook-Signature, X-Grafana-Alerting-Signature or X-Hub-Signature-256. The flag is switched off at once, without approvals, as a version by the hook. A flag that is off stays off. Any body is accepted, also none; one that says that an alert is over changes nothing. Limits: 30 calls per minute and hook, 120 per minute and IP address.',
  maxBodyBytes: 65_536,
  request: {
    params: z.object({ hookId: flagHookId }),
    body: { ...jsonBody(call, { status: 'firing', alerts: [] }), required: false },
  },
  responses: {
    200: jsonResponse(
      'Whether this call switched the flag off.',
      z.object({ switched: z.boolean() }).openapi({ example: { switched: true } }),
    ),
  },
  errors: {
    400: { description: 'The compressed body is invalid.', message: 'body: not valid gzip' },
    401: {
      description: 'The hook does not exist, or the secret or signature is missing or wrong.',
      message:
        'Unknown hook, or wrong secret or signature. Send the secret as Authorization: Bearer <secret>, or sign with it.',
    },
    429: {
      description: 'Too many requests. Retry after the time in Retry-After.',
      message: 'Too many requests (calls of a hook). Retry after the time in Retry-After.',
    },
  },
});
