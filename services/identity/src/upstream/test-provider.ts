import {
  type Configuration,
  genericGrantRequest,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client';
import type { UpstreamProvider } from './providers.ts';

export interface ProviderTest {
  /** Null if the provider accepts the client. */
  problem: string | null;
  /** The address where people sign in. Null if unknown. */
  authorizationEndpoint: string | null;
}

export type TestProvider = (provider: UpstreamProvider) => Promise<ProviderTest>;

interface TestProviderOptions {
  /** Reads the discovery document, which is not cached. */
  configurationOf(provider: UpstreamProvider): Promise<Configuration>;
  callback: string;
}

const failed = (problem: string): ProviderTest => ({ problem, authorizationEndpoint: null });
const REFUSALS = new Set(['invalid_client', 'unauthorized_client']);

/**
 * Tests a provider without a person: reads its discovery document, and exchanges a code that does not exist. A provider
 * refuses a wrong client before it looks at the code (RFC 6749, section 5.2).
 */
export function createTestProvider({ configurationOf, callback }: TestProviderOptions): TestProvider {
  return async (provider) => {
    let configuration: Configuration;
    try {
      configuration = await configurationOf(provider);
    } catch {
      return failed(`${provider.issuer} has no valid discovery document. Check the issuer.`);
    }
    const { authorization_endpoint: authorizationEndpoint, token_endpoint } = configuration.serverMetadata();
    if (authorizationEndpoint === undefined || token_endpoint === undefined) {
      return failed('The discovery document names no authorization or token endpoint. Check the issuer.');
    }
    try {
      await genericGrantRequest(configuration, 'authorization_code', {
        code: 'test',
        redirect_uri: callback,
      });
    } catch (error) {
      const refusal = refusalIn(error);
      if (refusal === undefined) return failed(`${token_endpoint} does not answer. Retry later.`);
      if (REFUSALS.has(refusal)) {
        return failed(`The provider refuses the client (${refusal}). Check the client ID and the secret.`);
      }
    }
    return { problem: null, authorizationEndpoint };
  };
}

/** Returns the OAuth error of a token endpoint. Undefined if it did not answer as one. */
function refusalIn(error: unknown): string | undefined {
  if (error instanceof ResponseBodyError) return error.error;
  return error instanceof WWWAuthenticateChallengeError ? 'invalid_client' : undefined;
}
