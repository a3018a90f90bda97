import type { SigningKeys } from '../signing-keys/signing-keys.ts';
import { createProvider, type ProviderOptions } from './provider.ts';

type Provider = ReturnType<typeof createProvider>;

export interface Providers {
  /** Returns the provider with the keys in use. Throws before `refresh` has run. */
  current(): Provider;
  /** Rotates keys that are due, and follows the rotations of other instances. */
  refresh(): Promise<void>;
}

interface ProvidersOptions extends ProviderOptions {
  keys: SigningKeys;
}

/** The provider takes its keys once, so there is a new one for each set of keys. Its state is in the database. */
export function createProviders({ keys, ...options }: ProvidersOptions): Providers {
  let used = '';
  let provider: Provider | undefined;
  return {
    current() {
      if (provider === undefined) throw new Error('no signing keys were read');
      return provider;
    },
    async refresh() {
      await keys.rotate();
      const jwks = await keys.read();
      const ids = JSON.stringify(jwks.map(({ kid }) => kid));
      if (ids === used) return;
      provider = createProvider(options, jwks);
      used = ids;
    },
  };
}
