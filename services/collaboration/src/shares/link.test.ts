import { describe, expect, it } from 'vitest';
import { requireReportLink } from './link.ts';

const place = { consoleUrl: 'https://console.example', projectId: 'shop', reportId: 'signups' };
const address = 'https://console.example/projects/shop/reports/signups';

describe('the link of a share', () => {
  it.each([
    [address, place],
    [`${address}?from=2026-03-01&to=2026-03-31#chart`, place],
    ['https://CONSOLE.example:443/projects/shop/reports/signups', place],
    ['https://console.example/projects/sh%6Fp/reports/signups', place],
    [
      'https://console.example/app/projects/shop/reports/signups',
      { ...place, consoleUrl: 'https://console.example/app' },
    ],
    ['https://console.example/projects/shop/reports/a%2Fb%20%C3%BC', { ...place, reportId: 'a/b ü' }],
  ])('accepts the link %s', (link, of) => {
    expect(requireReportLink(link, of)).toBe(new URL(link).href);
  });

  it.each([
    'x',
    '/projects/shop/reports/signups',
    '//console.example/projects/shop/reports/signups',
    'http://console.example/projects/shop/reports/signups',
    'https://console.example:444/projects/shop/reports/signups',
    'https://console.example.evil.example/projects/shop/reports/signups',
    'https://evil.example/projects/shop/reports/signups',
    'https://console.example@evil.example/projects/shop/reports/signups',
    'https://ada@console.example/projects/shop/reports/signups',
    'https://:secret@console.example/projects/shop/reports/signups',
    'https://console.example/projects/shop/reports/revenue',
    'https://console.example/projects/blog/reports/signups',
    'https://console.example/projects/shop/reports/signups/',
    'https://console.example/projects/shop/reports/signups/edit',
    'https://console.example/projects/shop/reports/Signups',
    'https://console.example//projects/shop/reports/signups',
    'https://console.example/projects/shop/reports/sign%75ps%',
    'https://console.example/',
    'javascript:alert(1)//console.example/projects/shop/reports/signups',
    ` ${address}`,
    `${address}\n`,
    'https://console.example/projects/shop/rep\torts/signups',
    'https:\\\\console.example\\projects\\shop\\reports\\signups',
    '',
  ])('rejects the link %j', (link) => {
    expect(() => requireReportLink(link, place)).toThrow(
      `link: not the address of this report; send ${address}, optionally with a query and a fragment`,
    );
  });
});
