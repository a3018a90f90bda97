import type { CreateRateLimit } from '@switchboard/http';

/** Limits of requests that reach the identity provider or an API. They allow for an office behind one address. */
export interface Limits {
  /** Counts a sign-in: its start, and the return from the provider. Throws RateLimited. */
  signIn(address: string): Promise<void>;
  /** Counts a renewal of a token, or a sign-out. Throws RateLimited. */
  renew(address: string): Promise<void>;
  /** Counts a call of an operator's page. Throws RateLimited. */
  operate(address: string): Promise<void>;
  /** Counts a message of a program with a model. Throws RateLimited. */
  callTools(address: string): Promise<void>;
}

/** Each instance counts by itself. */
export function createLimits(createRateLimit: CreateRateLimit, multiplier: number): Limits {
  const signIns = createRateLimit({
    name: 'sign-ins of an address',
    points: 240 * multiplier,
    durationSeconds: 900,
  });
  const renewals = createRateLimit({
    name: 'renewals of an address',
    points: 600 * multiplier,
    durationSeconds: 60,
  });
  const operations = createRateLimit({
    name: 'calls of operators of an address',
    points: 1200 * multiplier,
    durationSeconds: 60,
  });
  const messages = createRateLimit({
    name: 'messages of models of an address',
    points: 600 * multiplier,
    durationSeconds: 60,
  });
  return {
    signIn: (address) => signIns.consume(address),
    renew: (address) => renewals.consume(address),
    operate: (address) => operations.consume(address),
    callTools: (address) => messages.consume(address),
  };
}
