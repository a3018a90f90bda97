import {
  type Chat,
  type ChatLink,
  discordMessage,
  escapeMarkdown,
  escapeSlack,
  slackMessage,
  teamsMessage,
  teamsText,
  withoutFences,
} from '@switchboard/chat';
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
  link: ChatLink;
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
export function composeChatMessage(kind: Chat, message: ChatMessage, locale: Locale): string {
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
        link: { title: `Open the ${message.kind}`, url: link },
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
function linesOf(
  { intro, sections, more }: Pick<Parts, 'intro' | 'sections' | 'more'>,
  { bold, escaped, escapedCode }: Markdown,
): string[] {
  const texts = sections.flatMap(({ heading, table }) => [
    ...(heading === '' ? [] : [bold(escaped(heading))]),
    table === undefined ? NO_TABLE : `${FENCE}\n${escapedCode(textTable(table))}\n${FENCE}`,
  ]);
  return [escaped(intro), ...texts, ...(more === '' ? [] : [more])];
}

function teamsTable({ head, rows, totals }: MailTable) {
  const lines = [head, ...rows, ...(totals === undefined ? [] : [totals])];
  return {
    type: 'Table',
    columns: head.map((_, at) => ({ width: at === 0 ? 2 : 1 })),
    rows: lines.map((line) => ({
      type: 'TableRow',
      cells: line.map((cell, at) => ({
        type: 'TableCell',
        items: [{ ...teamsText(cell), ...(at > 0 && { horizontalAlignment: 'Right' }) }],
      })),
    })),
  };
}

const FORMATS: Record<Chat, Format> = {
  slack: {
    maxBytes: 4_000,
    render: ({ name, link, ...parts }) =>
      slackMessage({
        title: name,
        lines: linesOf(parts, {
          bold: (text) => `*${text}*`,
          escaped: escapeSlack,
          escapedCode: escapeSlack,
        }),
        link,
      }),
  },
  discord: {
    // A description has up to 4,096 characters.
    maxBytes: 4_000,
    render: ({ name, link, ...parts }) =>
      discordMessage({
        title: name,
        lines: linesOf(parts, {
          bold: (text) => `**${text}**`,
          escaped: escapeMarkdown,
          escapedCode: withoutFences,
        }),
        link,
      }),
  },
  teams: {
    // Teams accepts 28 kB.
    maxBytes: 24_000,
    render: ({ name, intro, sections, more, link }) =>
      teamsMessage({
        title: name,
        lines: [
          teamsText(intro),
          ...sections.flatMap(({ heading, table }) => [
            ...(heading === '' ? [] : [teamsText(heading, { weight: 'Bolder' })]),
            table === undefined ? teamsText(NO_TABLE) : teamsTable(table),
          ]),
          ...(more === '' ? [] : [teamsText(more)]),
        ],
        link,
      }),
  },
};
