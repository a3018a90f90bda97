import { z } from 'zod';

/** The permission in an access token that opens the pages of operators. */
const OPERATOR = 'service.manage';

const claims = z.object({ permissions: z.array(z.string()) });

/** Whether an access token that came from the provider is an operator's. Services verify its signature. */
export function isOperatorToken(token: string): boolean {
  const [, payload = ''] = token.split('.');
  try {
    const parsed = claims.parse(JSON.parse(Buffer.from(payload, 'base64url').toString()));
    return parsed.permissions.includes(OPERATOR);
  } catch {
    return false;
  }
}
