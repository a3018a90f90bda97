import { describe, expect, it } from 'vitest';
import { composeMail, composePush } from './messages.ts';
import { languageFor, texts } from './texts.ts';

const share = {
  isMention: false,
  senderName: 'Ada <b>Lovelace</b> & "co"',
  reportName: 'Sign-ups <script>alert(1)</script>',
  note: 'Look at "Tuesday" <img src=x onerror=alert(1)>\nand & Wednesday',
  link: 'https://console.example/projects/shop/reports/signups?a=1&b=2',
  language: 'en',
};
const home = 'https://console.example';

describe('the language of a message', () => {
  it.each([
    ['en', 'en'],
    ['de', 'de'],
    ['de-AT', 'de'],
    ['DE-ch-1996', 'de'],
    ['pt-BR', 'pt'],
    ['ja-JP', 'ja'],
    ['zh-Hans', 'en'],
    ['sv', 'en'],
    ['den', 'en'],
  ])('chooses for %s the language %s', (tag, language) => {
    expect(languageFor(tag)).toBe(language);
  });

  it('has complete and different texts in nine languages', () => {
    expect(Object.keys(texts)).toEqual(['en', 'de', 'fr', 'es', 'pt', 'it', 'nl', 'pl', 'ja']);
    for (const say of Object.values(texts)) {
      for (const about of [say.share, say.mention])
        for (const text of [about.subject('Ada', 'Sales'), about.intro('Ada', 'Sales')]) {
          expect(text).toContain('Ada');
          expect(text).toContain('Sales');
        }
      expect(say.noteOf('Ada')).toContain('Ada');
    }
    expect(new Set(Object.values(texts).flatMap(({ share, mention }) => [share.why, mention.why])).size).toBe(
      18,
    );
  });
});

describe('an e-mail', () => {
  it.each(Object.keys(texts))(
    'writes an e-mail in %s with the sender, the report, the note and the link',
    (language) => {
      const mail = composeMail({ ...share, senderName: 'Ada', reportName: 'Sales', language }, home);
      expect(mail.language).toBe(language);
      expect(mail.subject).toContain('Sales');
      for (const part of ['Ada', 'Sales', share.note, share.link]) expect(mail.text).toContain(part);
      expect(mail.html).toContain(`lang="${language}"`);
      expect(mail.html).toContain('Ada');
      expect(mail.html).toContain('href="https://console.example/projects/shop/reports/signups?a=1&amp;b=2"');
    },
  );

  it('escapes user text in an e-mail', () => {
    const { html, text } = composeMail(share, home);
    expect(html).not.toMatch(/<script|<img|<b>Lovelace/);
    expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;<br>and &amp; Wednesday');
    expect(html).toContain('&lt;script&gt;');
    expect(text).toContain(share.note);
  });

  it('keeps a report name that String.replace would take for a pattern', () => {
    const reportName = "$$ $& $` $' $<head>";
    const { html, text, subject } = composeMail({ ...share, senderName: 'Ada', reportName }, home);
    expect(subject).toBe(`Ada shared “${reportName}” with you`);
    expect(text).toContain(reportName);
    expect(html).toContain('<title>Ada shared “$$ $&amp; $` $&#39; $&lt;head&gt;” with you</title>');
    expect(html.match(/<html/g)).toHaveLength(1);
    expect(html.match(/<body/g)).toHaveLength(1);
  });

  it('loads no external resources in an e-mail', () => {
    const { html } = composeMail({ ...share, note: 'plain' }, home);
    const addresses = [...html.matchAll(/(?:src|href|url)\s*[=(]\s*["']?([^"')\s>]+)/g)].map(
      ([, to]) => to ?? '',
    );
    for (const to of addresses) expect(to).toMatch(/^https:\/\/console\.example(\/|$)/);
    expect(html).not.toMatch(/@import|<link/);
  });

  it('omits the note line of an e-mail without a note', () => {
    const { text } = composeMail({ ...share, note: null }, home);
    expect(text).not.toContain('wrote:');
  });
});

describe('a push', () => {
  it('says in a push whether a report was shared or a comment mentions the recipient', () => {
    const said = { ...share, senderName: 'Ada', reportName: 'Sales' };
    expect(composePush(said)).toMatchObject({
      type: 'report_shared',
      title: 'Ada shared “Sales” with you',
    });
    expect(composePush({ ...said, isMention: true })).toMatchObject({
      type: 'comment_mention',
      title: 'Ada mentioned you in “Sales”',
    });
  });

  it('fits a push with any text into the size limit', () => {
    const long = '\u{1F680}'.repeat(1000);
    const push = composePush({
      ...share,
      senderName: long,
      reportName: long,
      note: long,
      link: `https://console.example/${'x'.repeat(2000)}`,
    });
    expect(Buffer.byteLength(JSON.stringify(push))).toBeLessThan(3_700);
    expect(push.body.endsWith('…')).toBe(true);
  });
});
