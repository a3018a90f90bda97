import { z } from '@hono/zod-openapi';
import { id, timestamp } from '../fields/fields.ts';
import { managementOf } from '../management/common.ts';
import { jsonBody, jsonResponse } from '../operation/bodies.ts';
import { operation } from '../operation/operation.ts';

const revoke = z.boolean().default(false).openapi({
  description:
    'For a leaked key: deletes the previous keys, and the new one signs at once. Services refuse the tokens of the previous keys after at most ten minutes, and new tokens for up to 30 seconds.',
});
const newest = z.object({ id, signsFrom: timestamp }).openapi('SigningKey', {
  example: { id: '0b8e2f0e-6a0c-4f5e-9d0a-6b1f6f0f7c11', signsFrom: '2026-03-01T10:00:00.000Z' },
});

export const rotateSigningKeys = operation({
  ...managementOf('identity'),
  permission: 'signingKeys.write',
  operationId: 'rotateSigningKeys',
  method: 'post',
  path: '/management/v1/signing-keys/rotate',
  summary: 'Rotate the signing keys of the identity service',
  description:
    'Creates a key. It signs after an hour, when every service has fetched it. The previous key verifies for another day. If the newest key does not sign yet, it is returned.',
  request: { body: jsonBody(z.object({ revoke }), { revoke: false }) },
  responses: { 200: jsonResponse('The newest key.', newest) },
});
