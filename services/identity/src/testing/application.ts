import * as client from 'openid-client';
import type { TestBrowser } from './browser.ts';
import { CALLBACK } from './harness.ts';

/** Returns the configuration of an application that signs in as the console does. */
export function discover(issuer: string): Promise<client.Configuration> {
  return client.discovery(new URL(issuer), 'console', undefined, client.None(), {
    execute: [client.allowInsecureRequests],
  });
}

/** Opens the sign-in of an application. Returns a function that exchanges the code once the browser is back. */
export async function authorize(config: client.Configuration, browser: TestBrowser, scope = 'openid') {
  const verifier = client.randomPKCECodeVerifier();
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: CALLBACK,
    scope,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  await browser.open(url.href);
  return () => client.authorizationCodeGrant(config, new URL(browser.url), { pkceCodeVerifier: verifier });
}
