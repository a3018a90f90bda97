import { API_TOKEN_PATTERN } from '@switchboard/contracts';
import { type Client, ManagementError } from '@switchboard/management';
import { z } from 'zod';
import { readArguments } from '../terminal/arguments.ts';
import { COMMON_HELP, type Command, EXIT_CODES } from '../terminal/command.ts';
import { UsageError } from '../terminal/terminal.ts';
import { printable } from '../terminal/text-table.ts';
import { signInByDevice } from './device.ts';
import { forgetLogin, type Login, storeLogin } from './login-store.ts';
import { addressesOf, openClient, openSession, requireAddress } from './session.ts';

const usage = (name: string) => new UsageError(`usage: switchboard ${name} [--url <address>]`);

export const login: Command = {
  summary: 'sign in, or store a token, for the commands that follow',
  help: `switchboard login [--url <address>] [--issuer <address>]

With --issuer, or SWITCHBOARD_ISSUER, signs you in with a browser at the identity service of that address. Otherwise
asks for a token, or reads it from standard input, and checks it. It is kept in the keychain of macOS or of a Linux
desktop (secret-tool); elsewhere, and with SWITCHBOARD_KEYCHAIN=off, in ~/.config/switchboard/login.json, which only
you may read. It is sent to the addresses of the login only. SWITCHBOARD_TOKEN is used instead where it is set.

Make a token with switchboard tokens create.

${COMMON_HELP}
`,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, { issuer: { type: 'string' } });
    if (positionals.length > 0) throw usage('login');
    const addresses = addressesOf(values, terminal.env);
    if (Object.keys(addresses).length === 0) throw new UsageError('set SWITCHBOARD_URL, or give --url');
    Object.values(addresses).forEach(requireAddress);
    const issuer = (values.issuer ?? terminal.env['SWITCHBOARD_ISSUER'])?.replace(/\/+$/, '');
    if (issuer) {
      requireAddress(issuer);
      const { accessToken, refreshToken } = await signInByDevice(issuer, terminal);
      return store(accessToken, { token: refreshToken, addresses, issuer });
    }
    const token = (await terminal.secret('Token: ')).trim();
    if (!/^[\w.-]{20,8192}$/.test(token)) throw new UsageError('not a token');
    return store(token, { token, addresses });

    /** Stores the login if its token is valid. */
    async function store(bearer: string, stored: Login): Promise<number> {
      const env = { ...terminal.env, SWITCHBOARD_TOKEN: bearer };
      await requireValid(openClient(values, { env }));
      const place = storeLogin(stored, terminal);
      const who = describe(bearer);
      terminal.out(
        values.json
          ? `${JSON.stringify({ ...who, place })}\n`
          : `Logged in as ${who.is}; the token is in ${place}.\n`,
      );
      return EXIT_CODES.done;
    }
  },
};

export const logout: Command = {
  summary: 'delete the stored token',
  help: `switchboard logout

Deletes the stored token. The token stays valid: revoke it with switchboard tokens revoke.

${COMMON_HELP}
`,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, {});
    if (positionals.length > 0) throw usage('logout');
    const wasLoggedIn = forgetLogin(terminal);
    if (values.json) terminal.out(`${JSON.stringify({ wasLoggedIn })}\n`);
    else terminal.out(wasLoggedIn ? 'Logged out.\n' : 'Not logged in.\n');
    return EXIT_CODES.done;
  },
};

export const whoami: Command = {
  summary: 'show the token in use, its owner and its source',
  help: `switchboard whoami

Shows the owner of the token that the commands use, its source and the addresses it is sent to, and checks that it
is valid.

${COMMON_HELP}
`,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, {});
    if (positionals.length > 0) throw usage('whoami');
    const { token, place, addresses } = openSession(values, terminal);
    const bearer = typeof token === 'string' ? token : await token();
    await requireValid(
      openClient(values, { env: { ...terminal.env, ...addresses, SWITCHBOARD_TOKEN: bearer } }),
    );
    const who = describe(bearer);
    const text = `${who.is}\nuntil ${who.expiresAt ?? 'its expiry or revocation'}\nfrom ${place}\nfor ${[...new Set(Object.values(addresses))].join(', ')}\n`;
    terminal.out(values.json ? `${JSON.stringify({ ...who, place, addresses })}\n` : text);
    return EXIT_CODES.done;
  },
};

/** Throws ManagementError if the token is not valid. A token that may not list companies is valid. */
async function requireValid(client: Client): Promise<void> {
  try {
    await client.call('listCompanies', {});
  } catch (error) {
    if (!(error instanceof ManagementError) || error.status !== 403) throw error;
  }
}

/** Returns the type and expiry that a token contains. */
function describe(token: string): { is: string; expiresAt: string | null } {
  if (API_TOKEN_PATTERN.test(token)) {
    const kind = token.startsWith('sbsvc_') ? 'service token' : 'personal access token';
    return { is: `${kind} tok_${token.slice(6, 38)}`, expiresAt: null };
  }
  const { sub, name, exp } = claims.catch({}).parse(decoded(token));
  const is = name === undefined ? (sub ?? 'a person without a name') : `${name} (${sub})`;
  return { is: printable(is), expiresAt: exp === undefined ? null : new Date(exp * 1000).toISOString() };
}

const claims = z.object({
  sub: z.string().optional(),
  name: z.string().optional(),
  exp: z.number().max(8e12).optional(),
});

function decoded(token: string): unknown {
  try {
    return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  } catch {
    return undefined;
  }
}
