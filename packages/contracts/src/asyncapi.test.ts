import { readFile } from 'node:fs/promises';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { asyncApiDocument } from './asyncapi.ts';
import { extraRoutes } from './extra-routes.ts';
import { type Channel, channels } from './live/channels.ts';

const specification = new URL('schemas/3.0.0.json', import.meta.resolve('@asyncapi/specs'));
const isValid = new Ajv({
  strict: false,
  validateFormats: false,
  validateSchema: false,
  meta: false,
}).compile(JSON.parse(await readFile(specification, 'utf8')));
const problems = (document: object) => (isValid(document) ? [] : isValid.errors);
const messagesOf = ({ sends, receives }: Channel) => [...sends, ...receives];

describe('the AsyncAPI document', () => {
  const whole = asyncApiDocument();

  test('the document is valid AsyncAPI 3.0 for all services together and for each service', () => {
    expect(problems(JSON.parse(JSON.stringify(whole)))).toEqual([]);
    for (const service of ['flags', 'messenger', 'catalogue'] as const) {
      expect(problems(asyncApiDocument({ services: [service], api: 'http://127.0.0.1:4000' }))).toEqual([]);
    }
    expect(
      problems({ ...whole, operations: { x: { action: 'shout', channel: { $ref: '#/x' } } } }),
    ).not.toEqual([]);
  });

  test('the document refers only to objects that it contains', () => {
    const references = [...JSON.stringify(whole).matchAll(/"\$ref":"#\/(.+?)"/g)].map(
      ([, path = '']) => path,
    );
    expect(references.length).toBeGreaterThan(20);
    const found = (path: string) =>
      path.split('/').reduce<unknown>((at, name) => Object(at)[name], JSON.parse(JSON.stringify(whole)));
    expect(references.filter((path) => found(path) === undefined)).toEqual([]);
  });

  test('the document describes every socket', () => {
    const sockets = extraRoutes.filter(({ kind }) => kind === 'socket').map(({ path }) => path);
    const described = channels.filter(({ kind }) => kind === 'socket').map(({ address }) => address);
    expect(described.sort()).toEqual(sockets.sort());
  });

  test('the document names the address of a socket where it is known', () => {
    const { servers } = asyncApiDocument({ api: 'https://api.example.com/shop/' });
    expect(servers).toMatchObject({
      socket: { host: 'api.example.com', pathname: '/shop', protocol: 'wss' },
      stream: { host: 'api.example.com', pathname: '/shop', protocol: 'https' },
    });
  });
});

describe.each(channels.flatMap(messagesOf))('the example of $name', ({ name, schema, example }) => {
  test('the example matches the contract and the document', () => {
    expect(schema.parse(example)).toEqual(example);
    const { components } = asyncApiDocument();
    const check = new Ajv2020({ strict: false, validateFormats: false }).compile({
      $ref: `#/components/schemas/${name}`,
      components,
    });
    expect(check(example) ? [] : check.errors).toEqual([]);
    expect(check({ ...example, type: 'something else' })).toBe(false);
  });
});
