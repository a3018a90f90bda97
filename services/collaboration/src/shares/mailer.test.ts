import { DeliveryFailed, smtpMailer, Undeliverable } from '@switchboard/mail';
import { mailServer, noSuchMailbox, trustedCertificate } from '@switchboard/mail/testing';
import { expect, it, onTestFinished } from 'vitest';

const mail = {
  id: 'dlv_1',
  to: 'grace@acme.example',
  replyTo: undefined,
  sender: 'Ada',
  language: 'en',
  subject: 'A subject',
  text: 'A text',
  html: '<p>A text</p>',
};

async function serverAndMailer(certificate?: { key: string; cert: string }, urlOf = (url: string) => url) {
  const server = await mailServer(certificate);
  const mailer = smtpMailer(urlOf(server.url), 'reports@switchboard.example');
  onTestFinished(async () => {
    mailer.close();
    await server.stop();
  });
  return { server, mailer };
}

it('sends over smtp:// only once STARTTLS has succeeded', async () => {
  const { server, mailer } = await serverAndMailer(await trustedCertificate());
  await mailer.send(mail);
  expect(server.received).toMatchObject([{ to: ['grace@acme.example'], secure: true }]);
});

it('sends nothing to a server that does not offer STARTTLS, unless the address says so', async () => {
  const stripped = await serverAndMailer(undefined, (url) => url.replace('?requireTLS=false', ''));
  await expect(stripped.mailer.send(mail)).rejects.toThrow(
    new DeliveryFailed('the mail server failed: ETLS 500'),
  );
  expect(stripped.server.received).toEqual([]);
  const plain = await serverAndMailer();
  await plain.mailer.send(mail);
  expect(plain.server.received).toMatchObject([{ secure: false }]);
});

it('describes a failure without the reply of the server', async () => {
  const { server, mailer } = await serverAndMailer();
  const reply = '5.1.1 <grace@acme.example>: no such mailbox, rejected "A subject"';
  server.onRecipient = () => {
    throw Object.assign(new Error(reply), { responseCode: 550 });
  };
  const refused = await mailer.send(mail).catch((error: unknown) => error);
  expect(refused).toEqual(new Undeliverable('the mail server rejected the message: EENVELOPE 550 5.1.1'));
  server.onRecipient = () => {
    throw Object.assign(noSuchMailbox(), { responseCode: 451 });
  };
  const failed = await mailer.send(mail).catch((error: unknown) => error);
  expect(failed).toEqual(new DeliveryFailed('the mail server failed: EENVELOPE 451'));
  expect([refused, failed].map((error) => JSON.stringify(Object.entries(Object(error))))).not.toContain(
    'grace',
  );
});
