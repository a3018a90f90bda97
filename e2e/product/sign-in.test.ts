import { createHash, randomBytes } from 'node:crypto';
import { hasChromium, openBrowser } from '@switchboard/testkit';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { standaloneForTests } from './testing/launch.ts';

const tokens = z.object({ access_token: z.string(), refresh_token: z.string() });

const running = standaloneForTests();
let browser: Browser;
beforeAll(async () => {
  if (hasChromium) browser = await openBrowser();
});
afterAll(() => browser?.close());

/** Signs in as the console does, with one click on the name. */
async function tokenOf(name: string): Promise<string> {
  const { base_url, console_url } = running.demo;
  const redirectUri = `${console_url}/signed-in`;
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    client_id: 'console',
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: 'openid profile email',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const page = await browser.newPage();
  await page.goto(`${base_url}/identity/authorize?${query}`);
  const [request] = await Promise.all([
    // The console refuses the code, because it began no sign-in.
    page.waitForRequest((sent) => sent.url().startsWith(`${redirectUri}?`)),
    page.getByRole('button', { name: `Continue as ${name}` }).click(),
  ]);
  const code = new URL(request.url()).searchParams.get('code') ?? '';
  await page.context().close();
  const response = await fetch(`${base_url}/identity/token`, {
    method: 'POST',
    body: new URLSearchParams({
      client_id: 'console',
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    }),
  });
  return tokens.parse(await response.json()).access_token;
}

const statusOf = async (path: string, token: string) =>
  (await fetch(`${running.demo.base_url}/v1${path}`, { headers: { Authorization: `Bearer ${token}` } }))
    .status;

describe.skipIf(!hasChromium)('standalone', () => {
  it('signs a person of the demo in with one click, and its services accept the token', async () => {
    const token = await tokenOf('Ines Duarte');
    const { project_id: project } = running.demo;
    const paths = [
      '/companies/co_lumen/members',
      `/projects/${project}/flags`,
      `/companies/co_lumen/sign-in`,
    ];
    const statuses = await Promise.all(paths.map((path) => statusOf(path, token)));
    expect(statuses).toEqual([200, 200, 200]);
  });

  it('gives an outsider who signs in no access to the demo company', async () => {
    const token = await tokenOf('Olu Adeyemi');
    expect(await statusOf('/companies/co_lumen/members', token)).toBe(403);
  });

  it('accepts the tokens of demo.json in identity too', async () => {
    expect(await statusOf('/companies/co_lumen/sign-in', running.demo.tokens.owner)).toBe(200);
  });
});
