import { z } from 'zod';
import { commonSettings } from './common.ts';
import { parseConfig } from './config.ts';
import { eventLogSettings } from './event-log.ts';

const { PORT, HOST, LOG_LEVEL, REGION, REVISION, MAX_BYTES_IN_FLIGHT } = commonSettings;

const ofTheRegion = z.object({
  PORT,
  HOST,
  LOG_LEVEL,
  REGION,
  REVISION,
  MAX_BYTES_IN_FLIGHT,
  ...eventLogSettings,
});
const ofHome = z.object({ MAX_BYTES_IN_FLIGHT, ...eventLogSettings });

const PREFIX = 'HOME_';

/** All settings of the link between two regions, by name. */
export const linkShape: Readonly<Record<string, z.ZodType>> = {
  ...ofTheRegion.shape,
  ...Object.fromEntries(Object.entries(ofHome.shape).map(([name, schema]) => [`${PREFIX}${name}`, schema])),
};

/**
 * Reads the settings of the region's event log, which its services share, and of the home event log, which have the
 * prefix HOME_. Throws ConfigError.
 */
export function linkSettings(env: Record<string, string | undefined>) {
  const prefixed = Object.entries(env).filter(([name]) => name.startsWith(PREFIX));
  const homeEnv = Object.fromEntries(prefixed.map(([name, value]) => [name.slice(PREFIX.length), value]));
  return { region: parseConfig(ofTheRegion, env), home: parseConfig(ofHome, homeEnv) };
}
