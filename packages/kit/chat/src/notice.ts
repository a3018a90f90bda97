import {
  type Chat,
  type ChatMessage,
  discordMessage,
  escapeMarkdown,
  escapeSlack,
  slackMessage,
  teamsMessage,
  teamsText,
} from './formats.ts';

/** A short message of plain text. */
export type Notice = ChatMessage<string>;

const MAX_TITLE = 100;
/** In code points, of all lines. Discord accepts 4,096 characters, escapes and the link included. */
const MAX_LINES = 900;
/** A longer address is left out. Discord accepts 2,048. */
const MAX_URL = 2_000;
/** Control characters, and those that change the direction of the text around them. */
const INVISIBLE = /[\p{Cc}\u202A-\u202E\u2066-\u2069]+/gu;

/** Returns the body of a message that says a notice in a chat. Texts that are too long are cut. */
export function noticeBody(chat: Chat, notice: Notice): string {
  const title = clip(oneLine(notice.title), MAX_TITLE);
  const link = notice.link !== undefined && notice.link.url.length <= MAX_URL ? notice.link : undefined;
  const lines = clip(notice.lines.map(oneLine).join('\n'), MAX_LINES)
    .split('\n')
    .filter((line) => line !== '');
  return JSON.stringify(FORMATS[chat]({ title, lines, link }));
}

const FORMATS: Record<Chat, (notice: Notice) => object> = {
  slack: (notice) => slackMessage({ ...notice, lines: notice.lines.map(escapeSlack) }),
  discord: (notice) => discordMessage({ ...notice, lines: notice.lines.map(escapeMarkdown) }),
  teams: (notice) => teamsMessage({ ...notice, lines: notice.lines.map((line) => teamsText(line)) }),
};

const oneLine = (text: string) => text.replaceAll(INVISIBLE, ' ').trim();

/** Cuts a text to a number of code points. */
export function clip(text: string, max: number): string {
  const characters = [...text];
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join('')}…`;
}
