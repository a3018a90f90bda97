/** The products for which messages are composed. */
export const CHATS = ['slack', 'discord', 'teams'] as const;
export type Chat = (typeof CHATS)[number];

/** A link to a page, with the words that people click. */
export interface ChatLink {
  title: string;
  url: string;
}

/** The parts of a message. Lines are in the markup of the chat, all other texts are plain. */
export interface ChatMessage<Line> {
  title: string;
  lines: readonly Line[];
  link: ChatLink | undefined;
}

/** Discord accepts 256. */
const MAX_TITLE = 100;

/** Removes what would begin or end a block of code, which cannot be escaped in one. */
export const withoutFences = (text: string): string => text.replaceAll('`', "'");
/** Escapes as Slack documents it. A link or mention needs `<`. */
export const escapeSlack = (text: string): string =>
  withoutFences(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
export const escapeMarkdown = (text: string): string => text.replaceAll(/[\\*_~`|<>[\]()#]/g, '\\$&');

/** Returns a message for an incoming webhook of Slack. */
export const slackMessage = ({ title, lines, link }: ChatMessage<string>): object => ({
  text: [
    `*${escapeSlack(title)}*`,
    ...lines,
    ...(link === undefined ? [] : [`<${link.url}|${escapeSlack(link.title)}>`]),
  ].join('\n'),
  unfurl_links: false,
});

/** Returns a message for a webhook of Discord. No one is mentioned in an embed. */
export const discordMessage = ({ title, lines, link }: ChatMessage<string>): object => ({
  embeds: [
    {
      title: [...title].slice(0, MAX_TITLE).join(''),
      ...(link && { url: link.url }),
      description: [...lines, ...(link === undefined ? [] : [`[${link.title}](${link.url})`])].join('\n'),
    },
  ],
  allowed_mentions: { parse: [] },
});

/** Returns a text of an Adaptive Card. */
export const teamsText = (text: string, more: object = {}): object => ({
  // Unlike a TextBlock, it has no Markdown.
  type: 'RichTextBlock',
  inlines: [{ type: 'TextRun', text, ...more }],
});

/** Returns a message for a workflow of Microsoft Teams. Its lines are elements of an Adaptive Card. */
export const teamsMessage = ({ title, lines, link }: ChatMessage<object>): object => ({
  type: 'message',
  attachments: [
    {
      contentType: 'application/vnd.microsoft.card.adaptive',
      contentUrl: null,
      content: {
        $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
        type: 'AdaptiveCard',
        version: '1.5',
        body: [teamsText(title, { weight: 'Bolder', size: 'Large' }), ...lines],
        ...(link && { actions: [{ type: 'Action.OpenUrl', ...link }] }),
        msteams: { width: 'Full' },
      },
    },
  ],
});
