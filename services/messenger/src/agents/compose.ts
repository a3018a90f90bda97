import type { MailLanguage } from '@switchboard/contracts';
import { type Mail, mailPage } from '@switchboard/mail';
import { agentTexts } from '../mail-texts/agent-texts.ts';
import type { WaitingConversation } from './store.ts';

/** A conversation of a digest, and the address that an answer goes to. */
export interface DigestEntry extends WaitingConversation {
  replyTo: string;
}

interface Digest {
  project: string;
  language: MailLanguage;
  entries: readonly DigestEntry[];
  /** Whether more conversations wait. */
  hasMore: boolean;
  timezone: string;
  inboxLink: string;
  preferencesLink: string;
}

/** Composes the mail about conversations that wait for a member. */
export function composeDigest({
  project,
  language,
  entries,
  hasMore,
  timezone,
  inboxLink,
  preferencesLink,
}: Digest): Pick<Mail, 'sender' | 'language' | 'subject' | 'text' | 'html'> {
  const say = agentTexts[language];
  const heading = say.heading(entries.length, hasMore);
  const since = new Intl.DateTimeFormat(language, {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: timezone,
  });
  const paragraphs = entries.map(({ subject, distinctId, waitingSince, assigneeId, lastTurn, replyTo }) =>
    [
      subject ?? distinctId,
      say.since(since.format(waitingSince), assigneeId !== null),
      ...(lastTurn ? [lastTurn] : []),
      say.answer(replyTo),
    ].join('\n'),
  );
  const hint = entries.length === 1 ? say.hint.one : say.hint.several;
  const why = say.why(project);
  return {
    sender: project,
    language,
    subject: `${heading} (${project})`,
    text: [
      ...paragraphs,
      hint,
      `${say.open}:\n${inboxLink}`,
      `-- \n${why}\n${say.preferences}:\n${preferencesLink}`,
    ]
      .join('\n\n')
      .concat('\n'),
    html: mailPage({
      language,
      title: heading,
      from: project,
      heading,
      paragraphs: [...paragraphs, hint],
      button: { text: say.open, link: inboxLink, address: say.address },
      why,
      footer: { text: say.preferences, link: preferencesLink },
    }),
  };
}
