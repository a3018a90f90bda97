import { ConfigError } from './config.ts';

/** The marker in every secret that `docker-compose.yml` ships. */
const MARK = 'dev-only-';

/** Throws ConfigError that names the settings with a secret that is published in docker-compose.yml. */
export function refuseDevelopmentSecrets(
  config: { ALLOW_DEVELOPMENT_CREDENTIALS: boolean },
  env: Readonly<Record<string, string | undefined>>,
): void {
  if (config.ALLOW_DEVELOPMENT_CREDENTIALS) return;
  const names = Object.keys(config).filter((name) => env[name]?.includes(MARK));
  if (names.length === 0) return;
  throw new ConfigError(
    `Public development secrets of docker-compose.yml in ${names.join(', ')}. Set your own secrets.`,
  );
}
