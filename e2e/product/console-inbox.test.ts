import { call, hasChromium, openBrowser } from '@switchboard/testkit';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openConsole, violationsOf } from './testing/console.ts';
import { standaloneForTests } from './testing/launch.ts';

const running = standaloneForTests();

describe.skipIf(!hasChromium)('the inbox in the console', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  /** Opens a conversation with a turn of the visitor. Returns its id. */
  async function openConversation(distinctId: string, body: string): Promise<string> {
    const { base_url, project_key: token } = running.demo;
    const opened = await call('POST', `${base_url}/v1/conversations`, { token, body: { distinctId } });
    const { conversationId, token: own } = opened.body;
    const sent = await call('POST', `${base_url}/v1/conversations/${conversationId}/turns`, {
      token,
      headers: { 'X-Service-Conversation-Token': own },
      body: { body },
    });
    expect(sent.status).toBe(201);
    return conversationId;
  }

  it.each(['light', 'dark'] as const)(
    'violates no axe rule and fits every width, %s',
    async (colorScheme) => {
      const { base_url, project_id, tokens } = running.demo;
      const id = await openConversation('visitor axe', 'Is this accessible?');
      const notes = `${base_url}/v1/projects/${project_id}/conversations/${id}/notes`;
      const noted = await call('POST', notes, { token: tokens.owner, body: { body: 'A note' } });
      expect(noted.status).toBe(201);
      for (const path of [`?open=${id}`, '', `?open=${id}&pane=person`]) {
        for (const width of [390, 1024, 1440]) {
          const { page, problems } = await openConsole(
            browser,
            running.demo,
            `/projects/${project_id}/inbox${path}`,
            { colorScheme, width, height: 900 },
          );
          await page.getByText('visitor axe').locator('visible=true').first().waitFor();
          const overflow = await page.evaluate(
            'document.documentElement.scrollWidth - document.documentElement.clientWidth',
          );
          expect(overflow, `${path} at ${width}`).toBeLessThanOrEqual(0);
          expect(await violationsOf(page), `${path} at ${width}`).toEqual([]);
          expect(problems).toEqual([]);
          await page.context().close();
        }
      }
    },
    120_000,
  );
});
