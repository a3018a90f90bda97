import { type Mail, mailPage } from '@switchboard/mail';
import type { WaitingConversation } from './store.ts';

/** A conversation of a digest, and the address that an answer goes to. */
export interface DigestEntry extends WaitingConversation {
  replyTo: string;
}

interface Digest {
  project: string;
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
  entries,
  hasMore,
  timezone,
  inboxLink,
  preferencesLink,
}: Digest): Pick<Mail, 'sender' | 'language' | 'subject' | 'text' | 'html'> {
  const count = hasMore ? `More than ${entries.length}` : String(entries.length);
  const waiting = entries.length === 1 && !hasMore ? 'conversation waits' : 'conversations wait';
  const heading = `${count} ${waiting} for an answer`;
  const since = new Intl.DateTimeFormat('en', {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: timezone,
  });
  const paragraphs = entries.map(({ subject, distinctId, waitingSince, assigneeId, lastTurn, replyTo }) =>
    [
      subject ?? distinctId,
      `Since ${since.format(waitingSince)}, ${assigneeId === null ? 'in your team' : 'assigned to you'}`,
      ...(lastTurn ? [lastTurn] : []),
      `Answer by email: ${replyTo}`,
    ].join('\n'),
  );
  const hint =
    entries.length === 1
      ? 'To answer, reply to this email. The visitor gets your answer.'
      : 'To answer, write to the address of a conversation. The visitor gets your answer.';
  const why = `You received this email because digests are on in your preferences for ${project}.`;
  return {
    sender: project,
    language: 'en',
    subject: `${heading} in ${project}`,
    text: [
      ...paragraphs,
      hint,
      `Open the inbox:\n${inboxLink}`,
      `-- \n${why}\nChange your preferences:\n${preferencesLink}`,
    ]
      .join('\n\n')
      .concat('\n'),
    html: mailPage({
      language: 'en',
      title: heading,
      from: project,
      heading,
      paragraphs: [...paragraphs, hint],
      button: { text: 'Open the inbox', link: inboxLink, address: 'Or open this address:' },
      why,
      footer: { text: 'Change your preferences', link: preferencesLink },
    }),
  };
}
