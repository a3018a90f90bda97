import type { Flag, User } from '../index.ts';

export function user(traits: Record<string, unknown> = {}, rest: Partial<User> = {}): User {
  return { distinctId: 'anna', traits, cohorts: new Set(), ...rest };
}

export function flag(key: string, rest: Partial<Flag> = {}): Flag {
  return { key, enabled: true, rolloutPercentage: 100, ...rest };
}
