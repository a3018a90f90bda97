import { createHash, randomBytes } from 'node:crypto';

/** The redirect address of the console. No server answers there. */
export const CALLBACK = 'https://console.example/signed-in';

/** Returns the address at which the console asks for a code, and the parameters that exchange the code for tokens. */
export function requestCode(origin: string, more: Record<string, string> = {}) {
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    client_id: 'console',
    response_type: 'code',
    redirect_uri: CALLBACK,
    scope: 'openid profile email',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...more,
  });
  const exchange = (code: string) => ({
    client_id: 'console',
    grant_type: 'authorization_code',
    code,
    redirect_uri: CALLBACK,
    code_verifier: verifier,
  });
  return { url: `${origin}/identity/authorize?${query}`, exchange };
}
