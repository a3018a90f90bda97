import { z } from 'zod';

/** The settings of e-mails. A service also checks `hasMailSettings`. */
export const mailSettings = {
  SMTP_URL: z
    .url({ protocol: /^smtps?$/, error: 'not an smtp:// or smtps:// address' })
    .optional()
    .meta({ values: 'smtp:// or smtps:// address', secret: true })
    .describe(
      'Mail server, with user and password if needed. smtp:// requires STARTTLS, unless ?requireTLS=false is added.',
    ),
  MAIL_DIR: z.string().optional().describe('Folder for e-mails as .eml files, if SMTP_URL is unset.'),
  MAIL_FROM: z
    .string()
    .regex(/^[^\s@<>",]+@[^\s@<>",]+$/, 'not an e-mail address')
    .meta({ values: 'e-mail address' })
    .default('switchboard@localhost')
    .describe('Sender of e-mails.'),
};

export type MailConfig = z.output<z.ZodObject<typeof mailSettings>>;

/** Requires a mail server or a folder; for `z.object(...).check(...)`. */
export function hasMailSettings({ value, issues }: z.core.ParsePayload<MailConfig>): void {
  if (value.SMTP_URL !== undefined || value.MAIL_DIR !== undefined) return;
  const message = 'set it, or set MAIL_DIR to write e-mails to files';
  issues.push({ code: 'custom', input: value, path: ['SMTP_URL'], message });
}
