import type { SubscriptionChannel } from '@switchboard/contracts';
import type { Locale } from '../page/render/locale.ts';
import { introOf, NO_TABLE, readReport, type SentContent } from './content.ts';
import { type MailTable, mailTable, textTable } from './table.ts';

/** A message to a chat channel. */
export interface ChatMessage extends SentContent {
  /** The address of the report or dashboard. */
  link: string;
}

interface Section {
  /** Empty for a single report, which the message names. */
  heading: string;
  table: MailTable | undefined;
}

interface Parts {
  name: string;
  intro: string;
  sections: readonly Section[];
  /** Says that there are further reports. Empty: there are none. */
  more: string;
  opening: string;
  link: string;
}

interface Format {
  /** The maximum size of a body. */
  maxBytes: number;
  render(parts: Parts): object;
}

const FENCE = '```';
const MAX_ROWS = 10;
const MAX_REPORTS = 10;
const MORE = 'The dashboard has further reports.';

/** Composes the body of a message for a kind of chat. Leaves out reports that do not fit. */
export function composeChatMessage(
  kind: SubscriptionChannel['kind'],
  message: ChatMessage,
  locale: Locale,
): string {
  const { name, reports, link } = message;
  const sections = reports.slice(0, MAX_REPORTS).map((report): Section => {
    const { heading, values } = readReport(report, locale);
    return {
      heading: message.kind === 'dashboard' ? heading : '',
      table: values && mailTable(values.table, values.unit, locale, MAX_ROWS),
    };
  });
  const { maxBytes, render } = FORMATS[kind];
  const bodyWith = (count: number) =>
    JSON.stringify(
      render({
        name,
        intro: introOf(message),
        sections: sections.slice(0, count),
        more: message.kind === 'dashboard' && count < reports.length ? MORE : '',
        opening: `Open the ${message.kind}`,
        link,
      }),
    );
  let count = sections.length;
  while (count > 0 && Buffer.byteLength(bodyWith(count)) > maxBytes) count--;
  return bodyWith(count);
}

interface Markdown {
  bold(text: string): string;
  escaped(text: string): string;
  /** Returns the text of a block of code. */
  escapedCode(text: string): string;
}

/** Returns the lines of a message in a chat's dialect of Markdown. */
function linesOf({ intro, sections, more }: Parts, { bold, escaped, escapedCode }: Markdown): string[] {
  const texts = sections.flatMap(({ heading, table }) => [
    ...(heading === '' ? [] : [bold(escaped(heading))]),
    table === undefined ? NO_TABLE : `${FENCE}\n${escapedCode(textTable(table))}\n${FENCE}`,
  ]);
  return [escaped(intro), ...texts, ...(more === '' ? [] : [more])];
}

/** Removes what would begin or end a block of code, which cannot be escaped in one. */
const withoutFences = (text: string) => text.replaceAll('`', "'");
/** Escapes as Slack documents it. A link or mention needs `<`. */
const escapeSlack = (text: string) =>
  withoutFences(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const escapeMarkdown = (text: string) => text.replaceAll(/[\\*_~`|<>[\]()#]/g, '\\$&');

const paragraph = (text: string, more: object = {}) => ({
  // Unlike a TextBlock, it has no Markdown.
  type: 'RichTextBlock',
  inlines: [{ type: 'TextRun', text, ...more }],
});

function teamsTable({ head, rows, totals }: MailTable) {
  const lines = [head, ...rows, ...(totals === undefined ? [] : [totals])];
  return {
    type: 'Table',
    columns: head.map((_, at) => ({ width: at === 0 ? 2 : 1 })),
    rows: lines.map((line) => ({
      type: 'TableRow',
      cells: line.map((cell, at) => ({
        type: 'TableCell',
        items: [{ ...paragraph(cell), ...(at > 0 && { horizontalAlignment: 'Right' }) }],
      })),
    })),
  };
}

const FORMATS: Record<SubscriptionChannel['kind'], Format> = {
  slack: {
    maxBytes: 4_000,
    render: (parts) => ({
      text: [
        `*${escapeSlack(parts.name)}*`,
        ...linesOf(parts, {
          bold: (text) => `*${text}*`,
          escaped: escapeSlack,
          escapedCode: escapeSlack,
        }),
        `<${parts.link}|${parts.opening}>`,
      ].join('\n'),
      unfurl_links: false,
    }),
  },
  discord: {
    // A description has up to 4,096 characters.
    maxBytes: 4_000,
    render: (parts) => ({
      embeds: [
        {
          title: [...parts.name].slice(0, 100).join(''),
          url: parts.link,
          description: [
            ...linesOf(parts, {
              bold: (text) => `**${text}**`,
              escaped: escapeMarkdown,
              escapedCode: withoutFences,
            }),
            `[${parts.opening}](${parts.link})`,
          ].join('\n'),
        },
      ],
      allowed_mentions: { parse: [] },
    }),
  },
  teams: {
    // Teams accepts 28 kB.
    maxBytes: 24_000,
    render: ({ name, intro, sections, more, opening, link }) => ({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          contentUrl: null,
          content: {
            $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
            type: 'AdaptiveCard',
            version: '1.5',
            body: [
              paragraph(name, { weight: 'Bolder', size: 'Large' }),
              paragraph(intro),
              ...sections.flatMap(({ heading, table }) => [
                ...(heading === '' ? [] : [paragraph(heading, { weight: 'Bolder' })]),
                table === undefined ? paragraph(NO_TABLE) : teamsTable(table),
              ]),
              ...(more === '' ? [] : [paragraph(more)]),
            ],
            actions: [{ type: 'Action.OpenUrl', title: opening, url: link }],
            msteams: { width: 'Full' },
          },
        },
      ],
    }),
  },
};
