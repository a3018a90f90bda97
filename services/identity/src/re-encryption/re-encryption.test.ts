import { eventually } from '@switchboard/testkit';
import { decodeProtectedHeader } from 'jose';
import * as client from 'openid-client';
import { Secret, TOTP } from 'otpauth';
import { expect, it } from 'vitest';
import { authorize, discover } from '../testing/application.ts';
import { OWNER, PASSWORD, startIdentity } from '../testing/harness.ts';

const OLD = 'an old account secret of a test with 32 or more characters';
const NEW = 'a new account secret of a test with 32 or more characters';

it('encrypts everything with the first secret while the old one is accepted, and keeps tokens and factors', async () => {
  const identity = await startIdentity({ env: { ACCOUNT_SECRET: OLD } });
  const owner = await identity.setUp();
  const config = await discover(identity.issuer);
  const tokens = await (await authorize(config, owner))();
  await owner.open(`${identity.issuer}/account/authenticator`);
  expect(owner.html).toMatch(
    /<img class="qr"[^>]* alt="QR code of this key" src="data:image\/svg\+xml;base64,/,
  );
  const [, secret = ''] = /<code>([A-Z2-7]+)<\/code>/.exec(owner.html) ?? [];
  await owner.submit({ code: new TOTP({ secret: Secret.fromBase32(secret) }).generate() });
  const [, recovery = ''] = /<code>([0-9a-f-]+)<\/code>/.exec(owner.html) ?? [];

  const kids = async () => {
    const rows = await identity.sql<{ text: string }[]>`
      select key as text from signing_keys
      union all select totp_secret from accounts where totp_secret is not null
      union all select payload from oidc_records`;
    return rows.map(({ text }) => decodeProtectedHeader(text).kid);
  };
  const before = new Set(await kids());
  await identity.restart({ ACCOUNT_SECRET: `${NEW},${OLD}` });
  await eventually(async () => expect((await kids()).filter((kid) => before.has(kid))).toEqual([]));
  await identity.restart({ ACCOUNT_SECRET: NEW });

  expect((await client.refreshTokenGrant(config, tokens.refresh_token ?? '')).access_token).toBeTypeOf(
    'string',
  );
  const browser = identity.browser();
  await browser.open(`${identity.issuer}/sign-in/account`);
  await browser.submit({ email: OWNER.email, password: PASSWORD });
  await browser.submit({ code: recovery });
  expect(browser.html).toContain('Your account');
  await identity.stop();
});
