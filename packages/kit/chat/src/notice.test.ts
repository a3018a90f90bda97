import { describe, expect, it } from 'vitest';
import { CHATS } from './formats.ts';
import { noticeBody } from './notice.ts';

const link = { title: 'Open the flag', url: 'https://console.example/projects/shop/flags/new' };
const bodiesOf = (title: string, lines: string[], url = link.url) =>
  CHATS.map((chat) => JSON.parse(noticeBody(chat, { title, lines, link: { ...link, url } })));

describe('a notice', () => {
  it('has a title, lines and a link in the format of each chat', () => {
    const [slack, discord, teams] = bodiesOf('Ada changed a flag', ['on', '', 'Shop']);
    expect(slack).toEqual({
      text: `*Ada changed a flag*\non\nShop\n<${link.url}|Open the flag>`,
      unfurl_links: false,
    });
    expect(discord).toEqual({
      embeds: [
        {
          title: 'Ada changed a flag',
          url: link.url,
          description: `on\nShop\n[Open the flag](${link.url})`,
        },
      ],
      allowed_mentions: { parse: [] },
    });
    expect(teams).toMatchObject({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          content: {
            type: 'AdaptiveCard',
            body: ['Ada changed a flag', 'on', 'Shop'].map((text) => ({ inlines: [{ text }] })),
            actions: [{ type: 'Action.OpenUrl', ...link }],
          },
        },
      ],
    });
  });

  it('mentions no one, and has no link, style, line or direction of text from its content', () => {
    const hostile =
      '<!channel> <https://evil.example|here> [here](https://evil.example) @everyone\n# \u202Eabc`';
    const [slack, discord, teams] = bodiesOf(hostile, [hostile]);
    expect(slack.text.match(/<[^>]*>/g)).toEqual([`<${link.url}|Open the flag>`]);
    expect(slack.text.split('\n')).toHaveLength(3);
    expect(slack.text).not.toContain('`');
    const [embed] = discord.embeds;
    expect(discord).not.toHaveProperty('content');
    expect(embed.description.split('\n')[0]).toBe(
      '\\<!channel\\> \\<https://evil.example\\|here\\> \\[here\\]\\(https://evil.example\\) @everyone \\#  abc\\`',
    );
    // Markdown is only in blocks of another type.
    expect(JSON.stringify(teams)).not.toContain('"TextBlock"');
    expect(JSON.stringify([slack, discord, teams])).not.toContain('\u202E');
  });

  it('is cut between characters to what each chat accepts, and has no link that is too long', () => {
    const long = '🦊_&'.repeat(2_000);
    const [slack, discord, teams] = bodiesOf(
      long,
      [long, long],
      `https://console.example/${'x'.repeat(2_000)}`,
    );
    const [embed] = discord.embeds;
    expect([embed.title.length <= 256, embed.description.length <= 2_000, embed.url]).toEqual([
      true,
      true,
      undefined,
    ]);
    expect(slack.text.length).toBeLessThanOrEqual(4_000);
    expect(slack.text).not.toContain('console.example');
    for (const body of [slack, discord, teams]) {
      const text = JSON.stringify(body);
      expect(text).toContain('…');
      expect(text).not.toMatch(/\\ud[89a-f]/);
      expect(text.isWellFormed()).toBe(true);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(24_000);
    }
  });
});
