import { type Mail, mailPage } from '@switchboard/mail';
import type { TurnRow } from '../conversations/rows.ts';
import { textsIn } from '../mail-texts/languages.ts';

/** The replies of a mail, and how to answer and end mails. */
interface Replies {
  project: string;
  subject: string | null;
  language: string;
  /** Whether the thread began with a mail of the visitor, or has one already. */
  isAnswer: boolean;
  turns: readonly TurnRow[];
  /** Names of files that are not in the mail. */
  missing: readonly string[];
  unsubscribe: string;
}

/** Composes a mail of replies as text and HTML. */
export function composeReplies({
  project,
  subject,
  language,
  isAnswer,
  turns,
  missing,
  unsubscribe,
}: Replies): Pick<Mail, 'sender' | 'language' | 'subject' | 'text' | 'html'> {
  const say = textsIn(language);
  const names = [...new Set(turns.map(({ authorName }) => authorName).filter((name) => name !== null))];
  const isByOne = names.length <= 1;
  const paragraphs = turns
    .map(({ authorName, body }) => (isByOne || authorName === null ? body : `${authorName}:\n${body}`))
    .filter((text) => text.trim() !== '')
    .concat(missing.map(say.file));
  const about = subject ?? say.subject(project);
  const [name] = names;
  return {
    sender: name === undefined || !isByOne ? project : `${name} (${project})`,
    language,
    subject: isAnswer && !/^re:/i.test(about) ? `Re: ${about}` : about,
    text: [...paragraphs, say.hint, `-- \n${say.why(project)}\n${say.unsubscribe}:\n${unsubscribe}`]
      .join('\n\n')
      .concat('\n'),
    html: mailPage({
      language,
      title: about,
      from: project,
      heading: say.heading(project),
      paragraphs: [...paragraphs, say.hint],
      why: say.why(project),
      footer: { text: say.unsubscribe, link: unsubscribe },
    }),
  };
}
