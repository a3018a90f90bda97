import {
  commonSettings,
  eventLogSettings,
  httpUrl,
  integerSetting,
  rolesSetting,
} from '@switchboard/service-kit';
import { z } from 'zod';

export const flagsSettings = z.object({
  ...commonSettings,
  ...eventLogSettings,
  ROLES: rolesSetting(['http', 'user-state']),
  PUBLIC_API_URL: httpUrl.describe(
    'Address under which clients reach this API; the snapshot’s socketUrl is made from it.',
  ),
  STATE_TIMEOUT_MS: integerSetting({ min: 10, max: 60_000, fallback: 1000 }).describe(
    'How long an evaluation waits for the user state before it answers without it.',
  ),
  RULESET_CACHE_BYTES: integerSetting({
    min: 1_000_000,
    max: 64_000_000_000,
    fallback: 134_217_728,
  }).describe(
    'Bound on rulesets held in memory, in bytes of their definitions; those used longest ago go first.',
  ),
  SOCKETS_PER_ADDRESS: integerSetting({ min: 1, max: 1_000_000, fallback: 1000 }).describe(
    'Sockets one address may hold open at an instance.',
  ),
  SOCKETS_MAX: integerSetting({ min: 1, max: 1_000_000, fallback: 20_000 }).describe(
    'Sockets an instance holds open; more are turned away.',
  ),
});
export type FlagsConfig = z.output<typeof flagsSettings>;
