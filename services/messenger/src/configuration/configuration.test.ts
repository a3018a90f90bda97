import { type MessengerSettings, messengerConfiguration } from '@switchboard/contracts';
import { eventually } from '@switchboard/testkit';
import { describe, expect, test } from 'vitest';
import { png } from '../testing/files.ts';
import { useMessenger } from '../testing/messenger.ts';
import type { TestProject } from '../testing/projects.ts';
import { settings } from '../testing/settings.ts';

const messenger = await useMessenger();

const pathOf = ({ id }: TestProject) => `/projects/${id}/messenger/config`;
const read = ({ key }: TestProject, query = '', headers = {}, url?: string) =>
  messenger.call('GET', `/v1/messenger/config${query}`, { token: key, headers, ...(url && { url }) });

async function configured(given: MessengerSettings, options = {}): Promise<TestProject> {
  const project = await messenger.createProject(options);
  const written = await messenger.manage('PUT', pathOf(project), given);
  expect(written.status).toBe(200);
  return project;
}

describe('the configuration for a visitor', () => {
  test('returns the same {enabled: false} for a project never configured and one switched off', async () => {
    const never = await read(await messenger.createProject());
    const off = await read(await configured(settings({ enabled: false })));
    for (const answer of [never, off]) {
      expect([answer.status, answer.body]).toEqual([200, { enabled: false }]);
      expect(answer.headers.get('etag')).toBe(never.headers.get('etag'));
    }
  });

  test('returns the stored settings, the socket URL and the accepted attachments', async () => {
    const given = settings({
      texts: {
        en: { greeting: 'Hello', awayMessage: 'Away', starterPrompts: [{ html: '<b>x</b>', text: 'x' }] },
      },
      team: [{ name: 'Ada', initials: 'A', tone: 'blue' }],
    });
    const { body } = await read(await configured(given));
    const { texts, ...rest } = given;
    expect(body).toEqual({
      ...rest,
      ...texts['en'],
      version: expect.stringMatching(/^[A-Za-z0-9_-]{10,}$/),
      socketUrl: 'wss://api.test/base/v1/messenger/socket',
      attachments: {
        enabled: true,
        maxBytes: 500_000,
        accept: ['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'application/pdf'],
      },
    });
    expect(messengerConfiguration.safeParse(body).error).toBeUndefined();
  });

  test("resolves each text in the visitor's language", async () => {
    const texts = {
      en: { greeting: 'Hello', awayMessage: 'Away', starterPrompts: [] },
      fr: { greeting: 'Bonjour' },
      'pt-BR': { greeting: 'Oi' },
    };
    const project = await configured(settings({ texts }), { defaultLanguage: 'fr' });
    const greeting = async (query: string) => (await read(project, query)).body.greeting;
    expect(await greeting('?locale=pt-br')).toBe('Oi');
    expect(await greeting('?locale=en-GB')).toBe('Hello');
    expect(await greeting('?locale=de')).toBe('Bonjour');
    expect(await greeting('')).toBe('Bonjour');
    expect((await read(project, '?locale=pt-BR')).body.awayMessage).toBe('Away');
    expect((await read(project, `?locale=${'x'.repeat(2001)}`)).status).toBe(400);
  });

  test('changes the version and the ETag of the configuration only with its content', async () => {
    const project = await configured(settings({ texts: { en: { greeting: 'Hello' } } }));
    const first = await read(project);
    const etag = first.headers.get('etag') ?? '';
    const unchanged = await read(project, '', { 'If-None-Match': `"x", W/${etag}` });
    expect([unchanged.status, unchanged.bytes.length]).toEqual([304, 0]);
    await messenger.manage('PUT', pathOf(project), settings({ texts: { en: { greeting: 'Hello' } } }));
    expect((await read(project)).body.version).toBe(first.body.version);
    await messenger.manage('PUT', pathOf(project), settings({ texts: { en: { greeting: 'Hi' } } }));
    const second = await read(project, '', { 'If-None-Match': etag });
    expect([second.status, second.body.greeting]).toEqual([200, 'Hi']);
    expect(second.body.version).not.toBe(first.body.version);
  });

  test('shows a changed configuration on every instance at once', async () => {
    const { url } = await messenger.startInstance();
    const project = await configured(settings());
    expect((await read(project, '', {}, url)).body.accentColor).toBe('#3355ff');
    await messenger.manage('PUT', pathOf(project), settings({ accentColor: 'red' }));
    expect((await read(project)).body.accentColor).toBe('red');
    await eventually(async () => expect((await read(project, '', {}, url)).body.accentColor).toBe('red'), {
      withinMs: 2000,
    });
  });

  test('offers no attachments if the plan excludes them', async () => {
    const project = await configured(settings(), { entitlements: { visitorAttachments: false } });
    expect((await read(project)).body.attachments.enabled).toBe(false);
    await messenger.setEntitlements(project, {});
    await eventually(async () => expect((await read(project)).body.attachments.enabled).toBe(true));
  });

  test('answers 401 to a missing or invalid key, and 403 to one of another region', async () => {
    const abroad = await messenger.createProject({ region: 'us' });
    expect((await messenger.call('GET', '/v1/messenger/config')).status).toBe(401);
    expect((await messenger.call('GET', '/v1/messenger/config', { token: 'x' })).status).toBe(401);
    expect((await read(abroad)).status).toBe(403);
  });
});

describe('replacing the configuration', () => {
  test('returns the configuration as stored, with sanitised prompts, and reads the same', async () => {
    const project = await messenger.createProject();
    expect((await messenger.manage('GET', pathOf(project))).status).toBe(404);
    const prompt = { html: '<b onclick="x">Hi</b><script>1</script>', text: 'Hi <script>' };
    const written = await messenger.manage(
      'PUT',
      pathOf(project),
      settings({ texts: { en: { starterPrompts: [prompt] } } }),
    );
    const clean = { html: '<b>Hi</b>', text: 'Hi <script>' };
    expect(written.body).toEqual(settings({ texts: { en: { starterPrompts: [clean] } } }));
    expect((await messenger.manage('GET', pathOf(project))).body).toEqual(written.body);
    expect((await read(project)).body.starterPrompts).toEqual([clean]);
  });

  test.each([
    [{ enabled: 'yes' }, 'enabled'],
    [{ skin: 'x'.repeat(51) }, 'skin'],
    [{ launcherOffsetX: 1.5 }, 'launcherOffsetX'],
    [{ launcherOffsetY: 401 }, 'launcherOffsetY'],
    [{ launcherShape: 'round' }, 'launcherShape: must be one of "circle", "rounded", "square", "pill"'],
    [{ team: [{ name: 'a', tone: 'calm' }] }, 'team[0].tone: must be one of'],
    [{ launcherShapes: 'pill' }, 'body: unknown property "launcherShapes"; did you mean "launcherShape"?'],
    [{ texts: { en: { greting: 'Hi' } } }, 'texts.en: unknown property "greting"; did you mean "greeting"?'],
    [{ texts: { not_a_tag: {} } }, 'texts'],
    [{ texts: { en: { greeting: 'x'.repeat(1001) } } }, 'texts.en.greeting'],
    [{ team: [{ name: '', initials: '', tone: '' }] }, 'team[0].name'],
    [
      { team: [{ name: 'a', initials: '', tone: '', avatarUrl: 'https://evil.test/x.png' }] },
      'team[0].avatarUrl',
    ],
    [
      {
        team: [
          { name: 'a', initials: '', tone: '', avatarUrl: `/v1/messenger/avatar/a/${'0'.repeat(64)}.png` },
        ],
      },
      'team[0].avatarUrl',
    ],
  ])('rejects the configuration %j', async (changes, path) => {
    const project = await messenger.createProject();
    const answer = await messenger.manage('PUT', pathOf(project), { ...settings(), ...changes });
    expect([answer.status, answer.body.error.code]).toEqual([400, 'BAD_REQUEST']);
    expect(answer.body.error.message).toContain(path);
  });

  test('completes an empty configuration with defaults, and names every problem at once', async () => {
    const project = await messenger.createProject();
    const written = await messenger.manage('PUT', pathOf(project), {});
    expect(written.body).toMatchObject({
      enabled: true,
      skin: 'plain',
      launcherShape: 'circle',
      launcherOffsetX: 20,
      availability: null,
      team: [],
      texts: {},
    });
    expect((await messenger.manage('GET', pathOf(project))).body).toEqual(written.body);
    expect(messengerConfiguration.safeParse((await read(project)).body).error).toBeUndefined();
    const { body } = await messenger.manage('PUT', pathOf(project), {
      enabled: 1,
      skin: 'x',
      dayDividers: 2,
    });
    expect(body.error.message).toBe(
      'enabled: must be a boolean; skin: must be one of "plain", "light", "dark", "soft", "bold"; dayDividers: must be a boolean',
    );
  });

  test('replaces the configuration only if it still has the ETag that If-Match names', async () => {
    const project = await messenger.createProject();
    const put = (accentColor: string, ifMatch: string) =>
      messenger.manage('PUT', pathOf(project), settings({ accentColor }), { 'If-Match': ifMatch });
    expect((await put('red', '"first"')).status).toBe(412);
    const first = await messenger.manage('PUT', pathOf(project), settings({ accentColor: 'red' }));
    const etag = first.headers.get('etag') ?? '';
    const readAgain = await messenger.manage('GET', pathOf(project));
    expect(readAgain.headers.get('etag')).toBe(etag);
    const both = await Promise.all([put('green', etag), put('blue', etag)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 412]);
    const refused = both.find(({ status }) => status === 412);
    expect(refused?.body.error.message).toMatch(/^If-Match: the messenger configuration was changed/);
    const stored = both.find(({ status }) => status === 200);
    expect((await messenger.manage('GET', pathOf(project))).body).toEqual(stored?.body);
  });

  test('accepts avatar paths of this project only', async () => {
    const [project, other] = [await messenger.createProject(), await messenger.createProject()];
    await messenger.manage('PUT', `/projects/${project.id}/team/ada`, { name: 'Ada' });
    const { body } = await messenger.manage('PUT', `/projects/${project.id}/team/ada/avatar`, png());
    const team = [{ name: 'Ada', initials: 'A', tone: '' as const, avatarUrl: body.url }];
    expect((await messenger.manage('PUT', pathOf(other), settings({ team }))).status).toBe(400);
    expect((await messenger.manage('PUT', pathOf(project), settings({ team }))).status).toBe(200);
    expect((await read(project)).body.team).toEqual(team);
    const wrongPerson = [{ ...team[0], avatarUrl: body.url.replace('/ada/', '/bob/') }];
    expect(
      (await messenger.manage('PUT', pathOf(project), { ...settings(), team: wrongPerson })).status,
    ).toBe(400);
  });

  test('answers 404 for an unknown project and 403 for one of another region', async () => {
    const abroad = await messenger.createProject({ region: 'us' });
    for (const method of ['GET', 'PUT']) {
      const body = method === 'PUT' ? settings() : undefined;
      expect((await messenger.manage(method, pathOf({ ...abroad, id: 'nowhere' }), body)).status).toBe(404);
      expect((await messenger.manage(method, pathOf(abroad), body)).status).toBe(403);
    }
  });
});
