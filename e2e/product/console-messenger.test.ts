import { call, hasChromium, openBrowser } from '@switchboard/testkit';
import type { Browser, FrameLocator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openConsole, violationsOf } from './testing/console.ts';
import { standaloneForTests } from './testing/launch.ts';

const running = standaloneForTests();

describe.skipIf(!hasChromium)('the messenger settings in the console', () => {
  let browser: Browser;
  let page: Page;
  let problems: string[] = [];
  const dialog = () => page.getByRole('dialog');
  const widget = (): FrameLocator => page.frameLocator('iframe[title="Preview of the messenger"]');
  const review = () => page.getByRole('button', { name: /^Review \d+ change/ });

  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());
  afterEach(async () => {
    await page.context().close();
    expect(problems).toEqual([]);
  });

  async function open(query = '', options: Parameters<typeof openConsole>[3] = {}): Promise<void> {
    const path = `/projects/${running.demo.project_id}/settings/messenger${query}`;
    ({ page, problems } = await openConsole(browser, running.demo, path, options));
    await widget().locator('.root').waitFor({ state: 'attached' });
  }

  /** Calls the configuration as an operator. */
  async function configuration(change?: object) {
    const { management_url, project_id, tokens } = running.demo;
    const url = `${management_url}/management/v1/projects/${project_id}/messenger/config`;
    const { body } = await call('GET', url, { token: tokens.operator });
    if (change === undefined) return body;
    const written = await call('PUT', url, { token: tokens.operator, body: { ...body, ...change } });
    expect(written.status).toBe(200);
    return written.body;
  }

  it.each(['light', 'dark'] as const)(
    'shows each change in the real widget at once, and is accessible in the %s theme',
    async (colorScheme) => {
      await open('', { colorScheme });
      await page.getByLabel('Bubble shape').selectOption('tail');
      await widget().locator('.bubble[data-shape=tail]').first().waitFor();
      await page.getByLabel('View', { exact: true }).selectOption('closed');
      await page.getByLabel('Launcher content').selectOption('both');
      await widget().locator('.launcher[data-content=both]').waitFor();
      await page.getByLabel('Theme of the visitor').selectOption('dark');
      await widget().locator('.root[data-scheme=dark]').waitFor({ state: 'attached' });
      await page.getByLabel('Screen').selectOption('desktop');
      await widget().locator('.launcher').click();
      await widget().getByRole('dialog').waitFor();
      await page.getByLabel('View', { exact: true }).selectOption('rating');
      await page.getByText('Ratings are off.').waitFor();
      await widget().locator('.rating label').last().click();
      await widget().getByRole('button', { name: 'Send rating' }).click();
      await widget().getByText('Thank you for your rating.').waitFor();
      expect(await violationsOf(page)).toEqual([]);
    },
  );

  it('shows what changes before it saves, and takes a saved change back exactly', async () => {
    const before = await configuration();
    await open();
    await page.getByLabel('Skin').selectOption('bold');
    await page.getByLabel('Accent colour', { exact: true }).fill('teal');
    await review().click();
    const rows = dialog().getByRole('table', { name: 'Your changes' }).getByRole('row');
    await expect
      .poll(() => rows.allTextContents())
      .toEqual(['SettingBeforeAfter', 'Accent colour#3355ffTeal', 'SkinPlainBold']);
    expect(await violationsOf(page)).toEqual([]);
    await dialog().getByRole('button', { name: 'Save settings' }).click();
    await page.getByText('The messenger settings are saved.').waitFor();
    expect(await configuration()).toEqual({ ...before, skin: 'bold', accentColor: 'teal' });
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => configuration()).toEqual(before);
    await expect.poll(() => page.getByLabel('Skin').inputValue()).toBe('plain');
  });

  it('keeps the changes of two people who edit at the same time', async () => {
    await open();
    await page.getByLabel('Bubble fill').selectOption('outline');
    await configuration({ composerShape: 'square', bubbleFill: 'soft' });
    await review().click();
    await dialog().getByRole('button', { name: 'Save settings' }).click();
    const others = dialog().getByRole('table', { name: 'Changes of others' });
    await expect.poll(() => others.textContent()).toContain('RoundSquare');
    await dialog().getByRole('button', { name: 'Keep both' }).click();
    await dialog().getByRole('button', { name: 'Save settings' }).click();
    await page.getByText('The messenger settings are saved.').waitFor();
    expect(await configuration()).toMatchObject({ composerShape: 'square', bubbleFill: 'outline' });
  });

  it('edits every language side by side by keyboard, and undoes and redoes changes', async () => {
    await open('?part=texts');
    await page.getByLabel('Another language').fill('fr-ca');
    await page.keyboard.press('Enter');
    const french = page.getByRole('region', { name: 'Canadian French' });
    await french.getByLabel('Greeting').fill('Bonjour, vous !');
    await page.getByLabel('Language of the visitor').selectOption('fr-CA');
    await widget().getByRole('heading', { name: 'Bonjour, vous !' }).waitFor();
    await french.getByRole('button', { name: 'Add prompt' }).press('Enter');
    await french.getByLabel('Prompt 1: shown').fill('<b>Livraison</b> en retard');
    expect(await french.getByLabel('Prompt 1: sent').inputValue()).toBe('Livraison en retard');
    await widget().getByRole('button', { name: 'Livraison en retard' }).waitFor();
    await french.getByRole('button', { name: 'Translate from English' }).press('Enter');
    await page.getByRole('alert').getByText('Translations are not configured').waitFor();
    await page.getByRole('button', { name: 'Undo' }).press('Enter');
    await page.getByRole('button', { name: 'Redo' }).press('Enter');
    expect(await violationsOf(page)).toEqual([]);
    await review().press('Enter');
    await dialog().getByRole('button', { name: 'Save settings' }).press('Enter');
    await dialog().waitFor({ state: 'detached' });
    expect((await configuration()).texts['fr-CA']).toEqual({
      greeting: 'Bonjour, vous !',
      starterPrompts: [{ html: '<b>Livraison</b> en retard', text: 'Livraison en retard' }],
    });
  });

  it('crops a picture, previews it, and uploads it when the settings are saved', async () => {
    await open('?part=team');
    const grace = page.getByRole('region', { name: 'Grace Hopper' });
    // 2 x 1 pixels: black and white.
    const picture =
      'iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAAAAADRSSBWAAAAC0lEQVR4nGNg+A8AAQIBAEK+vGgAAAAASUVORK5CYII=';
    const file = { name: 'grace.png', mimeType: 'image/png', buffer: Buffer.from(picture, 'base64') };
    await grace.getByLabel('Picture of Grace Hopper').setInputFiles(file);
    await dialog().getByLabel('Zoom').press('ArrowRight');
    await dialog().getByLabel('Left to right').press('ArrowLeft');
    expect(await violationsOf(page)).toEqual([]);
    await dialog().getByRole('button', { name: 'Use picture' }).click();
    await expect
      .poll(() => widget().locator('.hero .avatar img').first().getAttribute('src'))
      .toMatch(/^data:image\/png/);
    await page.getByLabel('Another person').fill('Ada Lovelace');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Move Ada Lovelace up' }).click();
    expect(await violationsOf(page)).toEqual([]);
    await review().click();
    await dialog().getByRole('button', { name: 'Save settings' }).click();
    await dialog().waitFor({ state: 'detached' });
    const { team } = await configuration();
    expect(team[0].avatarUrl).toMatch(/^\/v1\/messenger\/avatar\/[^/]+\/[0-9a-f]{64}\.png$/);
    expect(team.at(-2).name).toBe('Ada Lovelace');
    await expect
      .poll(() => widget().locator('.hero .avatar img').first().getAttribute('src'))
      .toContain(team[0].avatarUrl);
  });

  it('sets the hours of the team in their time zone, and turns article search on if the plan has it', async () => {
    await configuration({ availability: null });
    await open('?part=hours');
    await page.getByLabel('The team is here').selectOption('hours');
    await page.getByLabel('Time zone').fill('Europe/Berlin');
    await page.getByRole('button', { name: 'Add hours on Saturday' }).press('Enter');
    await page.getByLabel('Saturday from').fill('10:00');
    await page.getByLabel('Saturday to').fill('12:30');
    await page.getByLabel('Date').fill('2026-12-25');
    await page.keyboard.press('Enter');
    expect(await violationsOf(page)).toEqual([]);
    await review().click();
    await dialog().getByRole('button', { name: 'Save settings' }).click();
    await dialog().waitFor({ state: 'detached' });
    const day = [['09:00', '17:00']];
    expect((await configuration()).availability).toEqual({
      timezone: 'Europe/Berlin',
      hours: { mon: day, tue: day, wed: day, thu: day, fri: day, sat: [['10:00', '12:30']] },
      closed: ['2026-12-25'],
    });
    await page.getByRole('button', { name: 'Help centre' }).click();
    await page.getByRole('button', { name: 'Look up help site' }).click();
    await page.getByLabel('Let visitors search the articles').press('Space');
    await page.getByLabel('Place').selectOption('while_typing');
    expect(await violationsOf(page)).toEqual([]);
    await review().click();
    await dialog().getByRole('button', { name: 'Save settings' }).click();
    await dialog().waitFor({ state: 'detached' });
    await page.reload();
    expect(await page.getByLabel('Let visitors search the articles').isChecked()).toBe(true);
  });

  it('asks before changes are lost', async () => {
    await open();
    await page.getByLabel('Times', { exact: true }).selectOption('none');
    await page.getByRole('link', { name: 'Members' }).click();
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    expect(await page.getByLabel('Times', { exact: true }).inputValue()).toBe('none');
    await page.getByRole('link', { name: 'Members' }).click();
    await dialog().getByRole('button', { name: 'Discard changes' }).click();
    await page.getByRole('heading', { name: 'Members' }).waitFor();
  });

  it('says who may change the settings, and lets no one else try', async () => {
    const { base_url, management_url, tokens } = running.demo;
    await call('PUT', `${management_url}/management/v1/companies/co_lumen/members/user_viewer`, {
      token: tokens.operator,
      body: { name: 'Vera Viewer', email: 'vera@lumen.example', role: 'viewer' },
    });
    const { body } = await call('POST', `${base_url}/dev/tokens`, {
      token: tokens.operator,
      headers: { 'Content-Type': 'application/json' },
      body: { sub: 'user_viewer' },
    });
    await open('', { token: body.token });
    await page.getByText('Editors can change these settings.').waitFor();
    expect(await page.getByLabel('Skin').isDisabled()).toBe(true);
    expect(await review().count()).toBe(0);
    expect(await violationsOf(page)).toEqual([]);
  });
});
