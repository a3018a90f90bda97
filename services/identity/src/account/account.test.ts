import { AUDIT_TOPIC } from '@switchboard/audit';
import { auditEntry, MEMBERSHIPS_TOPIC, membershipKey } from '@switchboard/contracts';
import { testMember } from '@switchboard/directory/testing';
import { addAuthenticator, eventually, hasChromium, openBrowser } from '@switchboard/testkit';
import { Secret, TOTP } from 'otpauth';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestBrowser } from '../testing/browser.ts';
import { type IdentityHarness, OWNER, PASSWORD, startIdentity } from '../testing/harness.ts';

let identity: IdentityHarness;
let owner: TestBrowser;
beforeAll(async () => {
  identity = await startIdentity();
  owner = await identity.setUp();
});
afterAll(() => identity.stop());

/** Signs in without an application. Returns the browser on the account's page, unless a factor is missing. */
async function signIn(email: string, password: string): Promise<TestBrowser> {
  const browser = identity.browser();
  await browser.open(`${identity.issuer}/sign-in/account`);
  await browser.submit({ email, password });
  return browser;
}

/** Invites an address and accepts. Returns the browser of the new person. */
async function invited(email: string, role = 'editor'): Promise<TestBrowser> {
  await owner.open(`${identity.issuer}/account/invite`);
  await owner.submit({ companyId: 'acme', email, role });
  expect(owner.html).toContain('The invitation is sent');
  const browser = identity.browser();
  await browser.open(await identity.mailedLink(email));
  await browser.submit({ name: `Name of ${email}`, password: PASSWORD });
  return browser;
}

describe('an invitation', () => {
  it('makes an account for the address and a member of the company, once', async () => {
    const browser = await invited('grace@acme.example');
    expect(browser.html).toContain('grace@acme.example');
    const [account] = await identity.sql`select id from accounts where email = 'grace@acme.example'`;
    await eventually(async () =>
      expect(await identity.topic(MEMBERSHIPS_TOPIC)).toContainEqual({
        key: membershipKey('acme', account?.['id']),
        value: {
          companyId: 'acme',
          sub: account?.['id'],
          name: 'Name of grace@acme.example',
          email: 'grace@acme.example',
          role: 'editor',
        },
      }),
    );
    const again = identity.browser();
    await again.open(await identity.mailedLink('grace@acme.example'));
    expect(again.status).toBe(404);
  });

  it('is refused from a person without the right in the company, and for roles above theirs', async () => {
    const stranger = await invited('alan@acme.example');
    const [account] = await identity.sql`select id from accounts where email = 'alan@acme.example'`;
    const send = async (role: string) => {
      await stranger.open(`${identity.issuer}/account/invite`);
      await stranger.submit({ companyId: 'other', email: 'friend@acme.example', role });
      return stranger.status;
    };
    expect(await send('viewer')).toBe(400);
    await identity.directory.put('member', testMember('other', account?.['id'], { role: 'admin' }));
    expect(await send('owner')).toBe(400);
    expect(await send('viewer')).toBe(200);
  });
});

describe('an open invitation', () => {
  it('is listed for the person who sent it, and worth nothing once removed', async () => {
    await owner.open(`${identity.issuer}/account/invite`);
    await owner.submit({ companyId: 'acme', email: 'olga@acme.example', role: 'viewer' });
    const link = await identity.mailedLink('olga@acme.example');
    const other = await invited('oscar@acme.example');
    await other.open(`${identity.issuer}/account/invite`);
    expect(other.html).not.toContain('olga@acme.example');
    await owner.open(`${identity.issuer}/account/invite`);
    expect(owner.html).toContain('olga@acme.example');
    const [, id = ''] = /name="id" value="([^"]+)"/.exec(owner.html) ?? [];
    expect(link).not.toContain(id);
    await other.send(`${identity.issuer}/account/invite/revoke`, {
      method: 'POST',
      body: new URLSearchParams({ id }),
      headers: { Origin: identity.origin },
    });
    await owner.submit({}, '/invite/revoke');
    expect(owner.html).not.toContain('olga@acme.example');
    await other.open(link);
    expect(other.status).toBe(404);
  });
});

describe('the open invitations of a company', () => {
  const listed = async (browser: TestBrowser, companyId: string) => {
    await browser.open(`${identity.issuer}/account/invite?companyId=${companyId}`);
    return [...browser.html.matchAll(/<span>([^<]+@[^<]+)<br>/g)].map(([, email]) => email);
  };
  const revoke = async (browser: TestBrowser, id: string) =>
    browser.send(`${identity.issuer}/account/invite/revoke`, {
      method: 'POST',
      body: new URLSearchParams({ id }),
      headers: { Origin: identity.origin },
    });

  it('are listed for those who may change its members, who remove them within their role', async () => {
    for (const [email, role] of [
      ['first@team.example', 'viewer'],
      ['second@team.example', 'owner'],
    ] as const) {
      await owner.open(`${identity.issuer}/account/invite`);
      await owner.submit({ companyId: 'team', email, role });
    }
    const admin = await invited('ann@team.example');
    const [account] = await identity.sql`select id from accounts where email = 'ann@team.example'`;
    expect(await listed(admin, 'team')).toEqual([]);
    await identity.directory.put('member', testMember('team', account?.['id'], { role: 'editor' }));
    expect(await listed(admin, 'team')).toEqual([]);
    await identity.directory.put('member', testMember('team', account?.['id'], { role: 'admin' }));
    await eventually(async () =>
      expect(await listed(admin, 'team')).toEqual(['first@team.example', 'second@team.example']),
    );
    expect(await listed(admin, 'other-team')).toEqual([]);
    expect(await listed(owner, 'team')).toEqual(expect.arrayContaining(['first@team.example']));

    await listed(admin, 'team');
    const [viewer = '', anOwner = ''] = [...admin.html.matchAll(/name="id" value="([^"]+)"/g)].map(
      ([, id]) => id,
    );
    await revoke(admin, anOwner);
    await revoke(admin, viewer);
    expect(await listed(admin, 'team')).toEqual(['second@team.example']);
    const other = await invited('otto@team.example');
    await revoke(other, anOwner);
    expect(await listed(admin, 'team')).toEqual(['second@team.example']);
  });
});

describe('an authenticator app', () => {
  it('is asked for after the password; a code works once, and a recovery code in its place', async () => {
    const browser = await invited('tess@acme.example');
    await browser.open(`${identity.issuer}/account/authenticator`);
    const [, secret = ''] = /<code>([A-Z2-7]+)<\/code>/.exec(browser.html) ?? [];
    const totp = new TOTP({ secret: Secret.fromBase32(secret) });
    await browser.submit({ code: '000000' });
    expect([browser.status, browser.html]).toEqual([400, expect.stringContaining(secret)]);
    const code = totp.generate();
    await browser.submit({ code });
    const recovery = [...browser.html.matchAll(/<code>([0-9a-f-]+)<\/code>/g)].map(([, one = '']) => one);
    expect(recovery).toHaveLength(10);

    const second = await signIn('tess@acme.example', PASSWORD);
    await second.submit({ code });
    expect([second.status, second.html]).toEqual([400, expect.stringContaining('was used before')]);
    await second.submit({ code: recovery[0] ?? '' });
    expect(second.html).toContain('Your account');
    const third = await signIn('tess@acme.example', PASSWORD);
    await third.submit({ code: recovery[0] ?? '' });
    expect(third.status).toBe(400);
    expect(JSON.stringify(await identity.sql`select * from accounts`)).not.toContain(secret);
  });
});

describe('a password reset', () => {
  it('sets a password by an e-mailed link, once, and ends every session', async () => {
    const browser = await invited('rita@acme.example');
    const asking = identity.browser();
    await asking.open(`${identity.issuer}/reset`);
    await asking.submit({ email: 'Rita@acme.example' });
    expect(asking.html).toContain('Check your email');
    const link = await eventually(async () => {
      const newest = await identity.mailedLink('rita@acme.example');
      if (!newest.includes('/reset/')) throw new Error('not sent yet');
      return newest;
    });
    await asking.open(link);
    await asking.submit({ password: 'switchboard1' });
    expect([asking.status, asking.html]).toEqual([400, expect.stringContaining('easy to guess')]);
    await asking.submit({ password: 'four brave otters in Ghent' });
    await asking.open(link);
    expect(asking.status).toBe(404);
    await browser.open(`${identity.issuer}/account`);
    expect(browser.url).toContain('/sign-in/account');
    expect((await signIn('rita@acme.example', PASSWORD)).status).toBe(400);
    expect((await signIn('rita@acme.example', 'four brave otters in Ghent')).html).toContain('Your account');
  });

  it('is mailed in the language of the browser that asked', async () => {
    await invited('jo@acme.example');
    const browser = identity.browser();
    await browser.open(`${identity.issuer}/reset`);
    await browser.send(browser.url, {
      method: 'POST',
      body: new URLSearchParams({ email: 'jo@acme.example' }),
      headers: { Origin: identity.origin, 'Sec-Fetch-Site': 'same-origin', 'Accept-Language': 'es' },
    });
    await eventually(async () => {
      const { subject, html } = await identity.mail('jo@acme.example');
      expect([subject, html]).toEqual([
        'Restablecer su contraseña',
        expect.stringContaining('<html lang="es">'),
      ]);
    });
  });

  it('answers an address without an account as one with an account', async () => {
    const shown = async (email: string) => {
      const browser = identity.browser();
      await browser.open(`${identity.issuer}/reset`);
      await browser.submit({ email });
      return [browser.status, browser.html];
    };
    expect(await shown('unknown@acme.example')).toEqual(await shown(OWNER.email));
  });
});

describe('a change of the e-mail address', () => {
  it('takes a link to the new address, in a browser of the same account, and ends links to the old one', async () => {
    const browser = await invited('nina@acme.example');
    const asking = identity.browser();
    await asking.open(`${identity.issuer}/reset`);
    await asking.submit({ email: 'nina@acme.example' });
    const reset = await eventually(async () => {
      const newest = await identity.mailedLink('nina@acme.example');
      if (!newest.includes('/reset/')) throw new Error('not sent yet');
      return newest;
    });
    await browser.open(`${identity.issuer}/account`);
    await browser.submit({ email: 'Nina@New.example' }, '/account/email');
    expect(browser.html).toContain('Check your email');
    await browser.open(`${identity.issuer}/account`);
    expect(browser.html).toContain('nina@acme.example');
    const link = await identity.mailedLink('nina@new.example');
    const other = await invited('nora@acme.example');
    await other.open(link);
    expect(other.status).toBe(404);
    await browser.open(link);
    await browser.submit({}, '/account/email/');
    expect(browser.html).toContain('nina@new.example');
    await asking.open(reset);
    expect(asking.status).toBe(404);
    expect((await signIn('nina@new.example', PASSWORD)).html).toContain('Your account');
  });

  it('is refused for an address that is not valid, and for one of another account', async () => {
    const browser = await invited('noah@acme.example');
    await browser.open(`${identity.issuer}/account`);
    await browser.submit({ email: 'not an address' }, '/account/email');
    expect([browser.status, browser.html]).toEqual([400, expect.stringContaining('Enter an email address')]);
    await browser.submit({ email: OWNER.email }, '/account/email');
    const link = await eventually(async () => {
      const newest = await identity.mailedLink(OWNER.email);
      if (!newest.includes('/account/email/')) throw new Error('not sent yet');
      return newest;
    });
    await browser.open(link);
    await browser.submit({}, '/account/email/');
    expect(browser.status).toBe(404);
    await browser.open(`${identity.issuer}/account`);
    expect(browser.html).toContain('noah@acme.example');
  });
});

describe('sessions', () => {
  it('are listed, and end everywhere at once', async () => {
    const first = await invited('sam@acme.example');
    const second = await signIn('sam@acme.example', PASSWORD);
    expect(second.html.match(/Signed in from/g)).toHaveLength(2);
    await second.submit({}, '/sign-out-everywhere');
    await first.open(`${identity.issuer}/account`);
    expect(first.url).toContain('/sign-in/account');
  });
});

describe('a NUL character', () => {
  it.each([
    'sign-in/%00',
    'sign-in/account/with/company/%00',
    'reset/%00',
    'invitation/%00',
    'upstream/callback?state=%00',
  ])('is refused in the address /identity/%s', async (path) => {
    const browser = identity.browser();
    await browser.open(`${identity.issuer}/${path}`);
    expect(browser.status).toBe(400);
  });

  it('is refused in the fields of forms', async () => {
    await owner.open(`${identity.issuer}/account/invite`);
    await owner.submit({ companyId: 'acme\0', email: 'nul@acme.example', role: 'viewer' });
    expect([owner.status, owner.html]).toEqual([400, expect.stringContaining('The request was rejected')]);
    await owner.open(`${identity.issuer}/account`);
    await owner.send(`${identity.issuer}/account/sessions/remove`, {
      method: 'POST',
      body: new URLSearchParams({ id: '\0' }),
      headers: { Origin: identity.origin },
    });
    expect(owner.status).toBe(400);
  });

  it('is refused in the id of a passkey', async () => {
    const post = (path: string, body: object) =>
      fetch(`${identity.issuer}/sign-in/account/${path}`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'Content-Type': 'application/json', Origin: identity.origin },
      });
    const { ticket } = (await (await post('passkey/options', {})).json()) as { ticket: string };
    const answer = await post('passkey', { ticket, credential: { id: 'a\0', response: {} } });
    expect(answer.status).toBe(400);
  });
});

describe('the audit trail', () => {
  it('names who signed in, how and from where, and failed attempts', async () => {
    const browser = await invited('vera@acme.example');
    expect(browser.status).toBe(200);
    await signIn('vera@acme.example', 'wrong');
    await signIn('vera@acme.example', PASSWORD);
    const [account] = await identity.sql`select id from accounts where email = 'vera@acme.example'`;
    await eventually(async () => {
      const entries = (await identity.topic(AUDIT_TOPIC)).map(({ value }) => auditEntry.parse(value));
      const own = entries.filter(({ actor }) => actor.id === account?.['id']);
      expect(own.map(({ action, outcome, after, address }) => [action, outcome, after, address])).toEqual([
        ['acceptInvitation', 'allowed', undefined, '127.0.0.1'],
        ['signIn', 'allowed', { methods: ['link'] }, '127.0.0.1'],
        ['signIn', 'refused', undefined, '127.0.0.1'],
        ['signIn', 'allowed', { methods: ['pwd'] }, '127.0.0.1'],
      ]);
    });
  });
});

describe('erasing a colleague', () => {
  it('removes the account with its factors and sessions', async () => {
    await invited('eve@acme.example');
    await owner.open(`${identity.issuer}/account/invite`);
    await owner.submit({ companyId: 'acme', email: 'eve@acme.example', role: 'admin' });
    const [account] = await identity.sql`select id from accounts where email = 'eve@acme.example'`;
    await identity.directory.put('erasure', {
      id: 'ers_1',
      subject: { kind: 'colleague', sub: account?.['id'] },
      waitingFor: ['eu/identity'],
    });
    await eventually(async () =>
      expect(await identity.sql`select 1 from accounts where id = ${account?.['id']}`).toHaveLength(0),
    );
    expect(await identity.sql`select 1 from sessions where account_id = ${account?.['id']}`).toHaveLength(0);
    expect(JSON.stringify(await identity.sql`select * from tickets`)).not.toContain('eve@acme.example');
  });
});

describe.skipIf(!hasChromium)('a passkey', () => {
  let chromium: Browser;
  beforeAll(async () => {
    chromium = await openBrowser();
  });
  afterAll(() => chromium?.close());

  it('is added on the account page, and signs its person in without a password', async () => {
    await invited('pia@acme.example');
    const page = await chromium.newPage();
    await addAuthenticator(page);
    await page.goto(`${identity.issuer}/sign-in/account`);
    await page.getByLabel('Email').fill('pia@acme.example');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('button', { name: /^Remove / }).waitFor();
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.goto(`${identity.issuer}/sign-in/account`);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    expect(await page.textContent('main')).toContain('pia@acme.example');
    const [used] = await identity.sql`select used_at from passkeys`;
    expect(used?.['used_at']).not.toBeNull();
  });
});
