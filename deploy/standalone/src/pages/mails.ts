import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { html, raw } from 'hono/html';
import PostalMime from 'postal-mime';

export interface Mail {
  file: string;
  to: string;
  subject: string;
  at: Date;
  html: string;
}

const MAX_MAILS = 20;
const MAX_BYTES = 1_000_000;

/** Returns the newest mails in the mail folder, up to 20. */
export async function readMails(home: string): Promise<Mail[]> {
  const folder = join(home, 'mail');
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.eml'));
  const written = await Promise.all(
    names.map(async (file) => {
      const { size, mtimeMs } = await stat(join(folder, file));
      return { file, size, mtimeMs };
    }),
  );
  const newest = written
    .filter(({ size }) => size <= MAX_BYTES)
    .sort((a, b) => b.mtimeMs - a.mtimeMs)
    .slice(0, MAX_MAILS);
  return Promise.all(
    newest.map(async ({ file, mtimeMs }) => {
      const mail = await PostalMime.parse(await readFile(join(folder, file)));
      return {
        file,
        to: mail.to?.map(({ address }) => address ?? '').join(', ') ?? '',
        subject: mail.subject ?? '',
        at: new Date(mtimeMs),
        html: mail.html ?? String(html`<pre>${mail.text ?? ''}</pre>`),
      };
    }),
  );
}

/** Renders a mail as its recipient sees it. It is served in a sandbox without scripts. */
export const mailPage = ({ subject, html: body }: Mail) => html`<!doctype html>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${subject}</title>
${raw(body)}`;
