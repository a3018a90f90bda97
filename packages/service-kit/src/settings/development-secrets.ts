import { ConfigError } from './config.ts';

/** Every secret that `docker-compose.yml` ships contains this. */
const MARK = 'dev-only-';

/** Throws ConfigError that names the settings which hold a secret that everybody can read in docker-compose.yml. */
export function refuseDevelopmentSecrets(
  config: { ALLOW_DEVELOPMENT_CREDENTIALS: boolean },
  env: Readonly<Record<string, string | undefined>>,
): void {
  if (config.ALLOW_DEVELOPMENT_CREDENTIALS) return;
  const names = Object.keys(config).filter((name) => env[name]?.includes(MARK));
  if (names.length === 0) return;
  throw new ConfigError(
    `Public development secrets in ${names.join(', ')}: docker-compose.yml ships them. Set secrets of your own.`,
  );
}
