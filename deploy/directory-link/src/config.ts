import { commonSettings, eventLogSettings, parseConfig } from '@switchboard/service-kit';
import { z } from 'zod';

const { PORT, HOST, LOG_LEVEL, REGION, MAX_BYTES_IN_FLIGHT } = commonSettings;

const ofTheRegion = z.object({ PORT, HOST, LOG_LEVEL, REGION, MAX_BYTES_IN_FLIGHT, ...eventLogSettings });
const ofHome = z.object({ MAX_BYTES_IN_FLIGHT, ...eventLogSettings });

const PREFIX = 'HOME_';

/**
 * Settings of the region's event log, which are those of its services, and of the home event log, which have the
 * prefix HOME_. Throws ConfigError.
 */
export function linkSettings(env: Record<string, string | undefined>) {
  const prefixed = Object.entries(env).filter(([name]) => name.startsWith(PREFIX));
  const homeEnv = Object.fromEntries(prefixed.map(([name, value]) => [name.slice(PREFIX.length), value]));
  return { region: parseConfig(ofTheRegion, env), home: parseConfig(ofHome, homeEnv) };
}
