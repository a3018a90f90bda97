import type { ThreadSummary } from '@switchboard/contracts';
import type { PushContent } from '@switchboard/push';
import { markup, nothing } from '../page/render/markup.ts';
import { clipPush } from '../shares/messages.ts';
import { frameMail, type MailFrame } from './mail.ts';

/** A digest of unread threads for one member. */
export interface Digest extends MailFrame {
  /** At least one thread, the latest first. */
  threads: readonly ThreadSummary[];
  /** The name of the project. */
  project: string;
}

const MAX_THREADS = 20;

/** Composes a digest as text and HTML. */
export function composeDigest({ threads, project, ...frame }: Digest) {
  const subject = titleOf(threads.length, project);
  const shown = threads.slice(0, MAX_THREADS);
  const hidden = threads.length - shown.length;
  const more = hidden === 0 ? '' : `${hidden} more ${hidden === 1 ? 'thread is' : 'threads are'} unread.`;
  const texts = shown.map((thread) => `${headingOf(thread)}\n${quoteOf(thread)}`);
  return frameMail(frame, {
    subject,
    heading: subject,
    intro: 'These threads have new comments.',
    texts: more === '' ? texts : [...texts, more],
    content: markup`${shown.map(sectionOf)}${more === '' ? nothing : markup`<p style="margin:0 0 16px">${more}</p>`}`,
    opening: 'Open the threads',
    why: 'You receive this mail because you are subscribed to unread threads.',
  });
}

/** Composes the push of a digest, cut to fit. */
export function composeDigestPush({ threads, project, links }: Digest): PushContent {
  const [first] = threads;
  return {
    type: 'subscription',
    title: clipPush(titleOf(threads.length, project)),
    body: first === undefined ? '' : clipPush(`${first.reportName}: ${quoteOf(first)}`),
    url: links.open,
  };
}

const titleOf = (count: number, project: string) =>
  `${count} unread ${count === 1 ? 'thread' : 'threads'} in ${project}`;

const headingOf = ({ reportName, concern }: ThreadSummary) =>
  concern === 'mention' ? `${reportName} (mentions you)` : reportName;

const quoteOf = ({ last }: ThreadSummary) => `${last.authorName ?? 'A former member'}: ${last.text}`;

const sectionOf = (thread: ThreadSummary) =>
  markup`<h2 style="margin:24px 0 4px;font-size:14px;font-weight:600">${headingOf(thread)}</h2>
<p style="margin:0 0 16px;white-space:pre-line">${quoteOf(thread)}</p>
`;
