import { expect } from 'vitest';
import type { DemoJson } from './launch.ts';

/** Calls the management API of a standalone as its operator. Expects success, and returns the body. */
export async function manage(demo: DemoJson, method: string, path: string, body?: unknown): Promise<unknown> {
  const answer = await fetch(`${demo.management_url}/management/v1${path}`, {
    method,
    headers: { Authorization: `Bearer ${demo.tokens.operator}`, 'Content-Type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await answer.text();
  expect(answer.status, `${method} ${path}: ${text}`).toBeLessThan(300);
  return text === '' ? undefined : JSON.parse(text);
}
