import { openMailer } from '@switchboard/mail';
import { createEncryption } from '@switchboard/runtime';
import type { Identity } from '../config.ts';
import { createMails, type Mails } from '../mails/mails.ts';

/** Opens the queue of e-mails. */
export function openMails(service: Identity): Mails {
  const { add, config, metrics, run } = service;
  const mailer = openMailer(config, metrics);
  add(mailer, { stop: mailer.close });
  const encryption = createEncryption({ secrets: config.ACCOUNT_SECRET, purpose: 'e-mails' });
  const mails = createMails({ ...service, mailer, encryption });
  run(mails);
  metrics.gaugeBy(
    'switchboard_mails_waiting',
    'E-mails of sign-in that are not sent, retries included.',
    [],
    async () => [{ labels: {}, value: await mails.waiting() }],
  );
  return mails;
}
