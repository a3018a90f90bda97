import { type Fields, fieldsOf, known, textOf } from '@switchboard/other-products';
import type { Context } from 'hono';

/**
 * Returns an event of version 1 of the capture API as one of version 0, which has the session, the library and the
 * options among the properties.
 */
export function fromAnalytics(c: Context, event: Fields): Fields {
  const [library, version] = (c.req.header('PostHog-Sdk-Info') ?? '').split('/');
  const { process_person_profile } = fieldsOf(event['options']);
  return {
    ...event,
    properties: known({
      ...fieldsOf(event['properties']),
      $session_id: event['session_id'],
      $window_id: event['window_id'],
      $process_person_profile: process_person_profile,
      $lib: textOf(library),
      $lib_version: textOf(version),
    }),
  };
}

/** Returns the answer of version 1: the SDK sends an event again if its result is `retry`. */
export function analyticsResults(c: Context, events: readonly Fields[]): Response {
  const results = events.map(({ uuid }) => [textOf(uuid) ?? '', { result: 'ok' }] as const);
  const requestId = c.req.header('PostHog-Request-Id');
  return Response.json(
    { results: Object.fromEntries(results) },
    { headers: requestId === undefined ? {} : { 'PostHog-Request-Id': requestId } },
  );
}

export const bearerOf = (c: Context): string | undefined =>
  /^Bearer (.+)$/i.exec(c.req.header('Authorization') ?? '')?.[1];
