import { expect, it } from 'vitest';
import { networkList } from '../settings/fields.ts';
import { isReachable, requireReachable } from './addresses.ts';

it.each([
  ['93.184.215.14', true],
  ['2606:2800:21f:cb07:6820:80da:af6b:8b2c', true],
  ['::ffff:93.184.215.14', true],
  ['0.0.0.0', false],
  ['10.1.2.3', false],
  ['100.64.0.1', false],
  ['100.100.100.200', false],
  ['127.0.0.1', false],
  ['127.255.255.254', false],
  ['168.63.129.16', false],
  ['169.254.169.254', false],
  ['172.16.0.1', false],
  ['192.168.1.1', false],
  ['192.0.2.1', false],
  ['198.18.0.1', false],
  ['224.0.0.1', false],
  ['240.0.0.1', false],
  ['255.255.255.255', false],
  ['::', false],
  ['::1', false],
  ['::7f00:1', false],
  ['::ffff:10.1.2.3', false],
  ['::ffff:a9fe:a9fe', false],
  ['::ffff:0:127.0.0.1', false],
  ['64:ff9b::7f00:1', false],
  ['64:ff9b:1::7f00:1', false],
  ['2002:7f00:1::', false],
  ['2001:0:4136:e378::', false],
  ['fc00::1', false],
  ['fd00:ec2::254', false],
  ['fe80::1', false],
  ['fe80::1%eth0', false],
  ['fec0::1', false],
  ['ff02::1', false],
  ['localhost', false],
  ['', false],
])('decides whether %s is reachable: %s', (address, reachable) => {
  expect(isReachable(address, [])).toBe(reachable);
});

it('allows private networks that are listed, even where an address is mapped to IPv6', () => {
  const networks = networkList.parse('10.1.0.0/16, fd00::/8') ?? [];
  for (const address of ['10.1.2.3', '::ffff:10.1.2.3', 'fd12::1']) {
    expect(isReachable(address, networks)).toBe(true);
  }
  for (const address of ['10.2.0.1', '127.0.0.1', 'fc00::1'])
    expect(isReachable(address, networks)).toBe(false);
});

it.each([
  'http://127.1/',
  'http://2130706433/',
  'http://0x7f.0.0.1/',
  'http://0177.0.0.1/',
  'http://[::1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
])('refuses %s before a connection', (url) => {
  expect(() => requireReachable(new URL(url), [], 'THE_SETTING')).toThrow(/private address .* THE_SETTING/);
});

it.each(['x', '10.0.0.0', '10.0.0.0/33', '10.0.0.0/8;'])('refuses %s as a list of networks', (list) => {
  expect(networkList.safeParse(list).success).toBe(false);
});
