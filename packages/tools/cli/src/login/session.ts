import { type Client, createClient, type Service } from '@switchboard/management';
import { type Terminal, UsageError } from '../terminal/terminal.ts';
import { refreshTokens } from './device.ts';
import { readLogin, storeLogin, whileLoginLocked } from './login-store.ts';

/** Ingestion has no operations for tokens. */
type AnyService = Service | 'ingestion';

interface CommonValues {
  url?: string | undefined;
  wait?: string | undefined;
}

/** The token, its source, and the addresses that it is valid for, by the variable that sets them. */
interface Session {
  token: string | (() => Promise<string>);
  place: string;
  addresses: Record<string, string>;
}

const ADDRESS = /^SWITCHBOARD_([A-Z]+_)?URL$/;

/** Returns the addresses that the options and the environment set, by variable. */
export function addressesOf({ url }: CommonValues, env: Terminal['env']): Record<string, string> {
  const named: Record<string, string> = {};
  if (url !== undefined) named['SWITCHBOARD_URL'] = url;
  else for (const [name, value] of Object.entries(env)) if (ADDRESS.test(name) && value) named[name] = value;
  return named;
}

/**
 * Returns the token of the environment, or that of the login, which is not sent to any other address. Throws
 * UsageError.
 */
export function openSession(values: CommonValues, terminal: Pick<Terminal, 'env'>): Session {
  const named = addressesOf(values, terminal.env);
  const token = terminal.env['SWITCHBOARD_TOKEN'];
  if (token) return { token, place: 'SWITCHBOARD_TOKEN', addresses: named };
  const login = readLogin(terminal);
  if (login === undefined) {
    throw new UsageError(
      'log in with switchboard login, or set SWITCHBOARD_TOKEN to a token with permissions',
    );
  }
  const known = Object.values(login.addresses);
  const other = Object.values(named).find((address) => !known.includes(address));
  if (other !== undefined) {
    throw new UsageError(`the login is for ${known.join(', ')}, not for ${other}; log in there first`);
  }
  const { place, issuer } = login;
  const addresses = { ...login.addresses, ...named };
  return { token: issuer === undefined ? login.token : accessTokens(issuer, terminal), place, addresses };
}

/** Seconds before its expiry at which an access token is no longer used. */
const MARGIN_SECONDS = 30;

/** Returns a function that returns a valid access token of a login by the device flow. */
function accessTokens(issuer: string, terminal: Pick<Terminal, 'env'>): () => Promise<string> {
  let current: { token: Promise<string>; until: number } | undefined;

  async function renew(): Promise<string> {
    return whileLoginLocked(terminal, async () => {
      // Another command may have replaced it.
      const login = readLogin(terminal);
      if (login?.issuer !== issuer) throw new UsageError('the login has changed; run the command again');
      const { accessToken, refreshToken, expiresInSeconds } = await refreshTokens(issuer, login.token);
      storeLogin({ ...login, token: refreshToken }, terminal);
      if (current !== undefined)
        current.until = performance.now() + (expiresInSeconds - MARGIN_SECONDS) * 1_000;
      return accessToken;
    });
  }

  return () => {
    if (current === undefined || performance.now() >= current.until)
      current = { token: renew(), until: Number.POSITIVE_INFINITY };
    return current.token;
  };
}

/**
 * Opens the management API that the options, the environment and the login specify, or as a member of a company the
 * API host. Throws UsageError.
 */
export function openClient(
  values: CommonValues,
  terminal: Pick<Terminal, 'env'>,
  { isConsole = false }: { isConsole?: boolean } = {},
): Client {
  const { token, addresses } = openSession(values, terminal);
  return createClient({
    isConsole,
    token,
    retryForMs: retryForMs(values),
    url: (service) => addressOf(service, addresses),
  });
}

/** Returns how long calls to an unavailable service are repeated. Throws UsageError. */
export function retryForMs({ wait = '15' }: CommonValues): number {
  const seconds = Number(wait);
  if (!(seconds >= 0 && seconds <= 3600)) throw new UsageError('--wait: give seconds from 0 to 3600');
  return seconds * 1000;
}

/** Returns the address of a service, for calls without the token. Throws UsageError. */
export function addressFor(
  service: AnyService,
  values: CommonValues,
  terminal: Pick<Terminal, 'env'>,
): string {
  return addressOf(service, openSession(values, terminal).addresses);
}

/** Throws UsageError for an invalid address. */
export function requireAddress(address: string): void {
  if (!URL.canParse(address))
    throw new UsageError(`${address}: not an address; give one such as http://127.0.0.1:4003`);
}

function addressOf(service: AnyService, addresses: Record<string, string>): string {
  const name = `SWITCHBOARD_${service.toUpperCase()}_URL`;
  const address = addresses[name] ?? addresses['SWITCHBOARD_URL'];
  if (!address) throw new UsageError(`set SWITCHBOARD_URL or ${name}, or give --url`);
  requireAddress(address);
  return address;
}
