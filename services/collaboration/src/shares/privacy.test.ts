import { openDatabase } from '@switchboard/database';
import { mailServer } from '@switchboard/mail/testing';
import { eventually } from '@switchboard/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { call, startHarness } from '../testing/harness.ts';

it('logs and stores why an e-mail was refused without the words of the mail server', async () => {
  const smtp = await mailServer();
  const harness = await startHarness();
  onTestFinished(async () => {
    await harness.stop();
    await smtp.stop();
  });
  const database = openDatabase({ url: harness.databaseUrl, applicationName: 'test' });
  onTestFinished(() => database.close());
  const reply = '5.7.1 <grace@acme.example> declined, message says "Look at Tuesday"';
  smtp.onRecipient = (address) => {
    throw Object.assign(new Error(reply), { responseCode: address.startsWith('grace') ? 550 : 451 });
  };
  await harness.stopService();
  const service = await harness.spawn({ SMTP_URL: smtp.url, LOG_LEVEL: 'trace' });
  const body = {
    recipients: ['grace', 'alan'],
    note: 'Look at Tuesday',
    link: 'https://console.example/projects/shop/reports/signups',
    language: 'en',
  };
  const authorization = `Bearer ${await harness.token({ sub: 'ada' })}`;
  const shared = await call(service.url, 'POST', '/v1/projects/shop/reports/signups/shares', body, {
    authorization,
  });
  expect(shared.status).toBe(201);

  await eventually(() =>
    expect(service.records().filter(({ msg }) => msg === 'delivery failed')).toMatchObject([
      { channel: 'email', reason: 'the mail server rejected the message: EENVELOPE 550 5.7.1' },
    ]),
  );
  const kept = await eventually(async () => {
    const rows = await database.sql`select output from pgboss.job where output is not null`;
    expect(JSON.stringify(rows)).toContain('the mail server failed: EENVELOPE 451 5.7.1');
    return JSON.stringify(rows);
  });
  for (const secret of ['@acme.example', 'Tuesday', 'declined']) {
    expect(service.lines.join('\n')).not.toContain(secret);
    expect(kept).not.toContain(secret);
  }
});
