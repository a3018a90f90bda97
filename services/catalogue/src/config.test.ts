import { expect, it } from 'vitest';
import { erasingServices } from './config.ts';

const REQUIRED = ['analytics', 'archive', 'collaboration', 'flags', 'ingestion', 'messenger'] as const;

it('lets erasures wait for identity if it issues the tokens', () => {
  const of = (AUTH_ISSUER: string) => erasingServices({ AUTH_ISSUER, ERASURE_SERVICES: undefined });
  expect(of('https://api.example.com/identity')).toEqual(new Set([...REQUIRED, 'identity']));
  expect(of('https://id.example.com')).toEqual(new Set(REQUIRED));
});

it('lets erasures wait for the services that are set', () => {
  const chosen = { AUTH_ISSUER: 'https://api.example.com/identity', ERASURE_SERVICES: [...REQUIRED] };
  expect(erasingServices(chosen)).toEqual(new Set(REQUIRED));
});
