import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import { type OpenApiDocument, openApiDocument } from './openapi.ts';
import type { ServiceName } from './operation/operation.ts';
import { consoleOperations, operations, publicOperations, serviceOperations } from './operations.ts';

const services: ServiceName[] = [
  'catalogue',
  'collaboration',
  'messenger',
  'flags',
  'ingestion',
  'archive',
  'analytics',
];

async function problems(document: OpenApiDocument) {
  const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(document)));
  return valid ? [] : errors;
}

function described(document: OpenApiDocument) {
  const addresses = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  );
  return addresses.sort();
}

const addressesOf = (some: typeof operations) => some.map(({ method, path }) => `${method} ${path}`).sort();

/** In a document with management operations, each of them contains the path of its twin. */
const withoutTwins = (some: typeof operations) => some.filter((one) => !consoleOperations.includes(one));

/** Returns an operation of the document, typed as loosely as parsed JSON. */
function entry(document: OpenApiDocument, method: 'get' | 'post' | 'put', path: string) {
  const operation = document.paths?.[path]?.[method];
  if (!operation) throw new Error(`${method} ${path} is not in the document`);
  return operation;
}

describe('the OpenAPI document', () => {
  const whole = openApiDocument({ management: true });

  test('the document is valid OpenAPI 3.1 for all services together and for each service', async () => {
    expect(whole.openapi).toBe('3.1.0');
    expect(await problems(whole)).toEqual([]);
    for (const service of services) {
      expect(await problems(openApiDocument({ services: [service], management: true })), service).toEqual([]);
    }
  });

  test('the document describes the public API, and the management API on request', () => {
    expect(described(openApiDocument())).toEqual(addressesOf(publicOperations));
    expect(described(whole)).toEqual(addressesOf(withoutTwins(operations)));
    const flags = openApiDocument({ services: ['flags'], management: true });
    expect(described(flags)).toEqual(addressesOf(withoutTwins(serviceOperations('flags'))));
  });

  test('the document lists each operation once, with both of its paths', () => {
    expect(entry(whole, 'put', '/management/v1/projects/{projectId}/flags/{key}')).toMatchObject({
      operationId: 'putFlag',
      'x-permission': 'flags.write',
      'x-console-path': '/v1/projects/{projectId}/flags/{key}',
    });
    expect(entry(openApiDocument(), 'put', '/v1/projects/{projectId}/flags/{key}')).toMatchObject({
      operationId: 'putFlag',
      'x-permission': 'flags.write',
    });
  });

  test('the document names the host of each operation, with its URL where known', () => {
    const document = openApiDocument({ servers: { events: 'https://eu.example.com' } });
    expect(entry(document, 'post', '/v1/events').servers?.map(({ url }) => url)).toEqual([
      'https://eu.example.com',
    ]);
    expect(entry(document, 'post', '/v1/replay').servers?.map(({ url }) => url)).toEqual(['{eu_replay_url}']);
    expect(entry(document, 'get', '/v1/flags').servers?.map(({ url }) => url)).toEqual(['{base_url}']);
  });

  test('the document names the credentials of each operation', () => {
    expect(entry(whole, 'get', '/v1/plans').security).toEqual([]);
    expect(entry(whole, 'get', '/v1/flags').security).toEqual([{ projectKey: [] }]);
    expect(entry(whole, 'get', '/v1/conversations/{id}').security).toEqual([
      { projectKey: [], conversationToken: [] },
    ]);
    expect(entry(whole, 'get', '/v1/messenger/avatar/{user_id}/{file}').security).toEqual([
      { projectKey: [] },
      { projectKeyInQuery: [] },
    ]);
    expect(entry(whole, 'put', '/v1/projects/{projectId}/messenger/article-search').security).toEqual([
      { accessToken: [] },
    ]);
    expect(Object.keys(whole.components?.securitySchemes ?? {}).sort()).toEqual([
      'accessToken',
      'conversationToken',
      'projectKey',
      'projectKeyInHeader',
      'projectKeyInQuery',
    ]);
  });

  test('the document describes nullable strings and the formats of numbers', () => {
    const { Event, PublicPlan, PerMillion, AnchorRequest } = whole.components?.schemas ?? {};
    expect(Event).toHaveProperty('properties.session_id.type', ['string', 'null']);
    expect(PublicPlan).toHaveProperty('properties.trialDays.format', 'int32');
    expect(PerMillion).toHaveProperty('properties.input.format', 'int64');
    expect(AnchorRequest).toHaveProperty('properties.step.maximum', 4_294_967_295);
  });

  test('the document sets additionalProperties to false exactly where unknown properties are refused', () => {
    const strict = Object.entries(whole.components?.schemas ?? {})
      .filter(([, schema]) => 'additionalProperties' in schema && schema.additionalProperties === false)
      .map(([name]) => name);
    expect(strict.sort()).toEqual([
      'AnchorRequest',
      'AnnotationDefinition',
      'ArticleSearch',
      'CommentRequest',
      'DidCondition',
      'FunnelQuery',
      'InsightBreakdown',
      'InsightClause',
      'LifecycleQuery',
      'PathsQuery',
      'PublicLinkDefinition',
      'ReportGoal',
      'RetentionQuery',
      'ShareRequest',
      'StickinessQuery',
      'ThreadRequest',
      'TrendsQuery',
    ]);
  });
});
