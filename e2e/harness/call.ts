import { type Operation, publicOperations } from '@switchboard/contracts';
import type { Gateway } from './gateway.ts';
import type { TestProject } from './project.ts';

export interface CallOptions {
  params?: Record<string, string>;
  query?: Record<string, string>;
  /** A body to send instead of the contract's example: JSON, or raw bytes. */
  body?: unknown;
  headers?: Record<string, string>;
}

export interface Answer {
  status: number;
  headers: Headers;
  /** Parsed JSON, or the text of any other type. */
  body: unknown;
}

export type Call = (operationId: string, options?: CallOptions) => Promise<Answer>;

export function operationOf(operationId: string): Operation {
  const found = publicOperations.find((operation) => operation.operationId === operationId);
  if (found === undefined) throw new Error(`no operation ${operationId}`);
  return found;
}

/** Returns a client for the gateway with a project's credentials. Bodies default to the contracts' examples. */
export function apiClient(gateway: Pick<Gateway, 'api' | 'events' | 'replay'>, project: TestProject): Call {
  return async (operationId, { params = {}, query = {}, body, headers = {} } = {}) => {
    const operation = operationOf(operationId);
    const path = operation.path.replaceAll(/\{(.+?)\}/g, (_, name: string) => {
      const value = params[name] ?? { projectId: project.id, reportId: project.reportId }[name];
      if (value === undefined) throw new Error(`${operationId} needs ${name}`);
      return encodeURIComponent(value);
    });
    const url = new URL(path, gatewayUrl(gateway, operation));
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const response = await fetch(url, {
      method: operation.method.toUpperCase(),
      headers: { ...credential(operation, project), ...headers },
      ...bodyOf(operation, body),
      signal: AbortSignal.timeout(30_000),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  };
}

function gatewayUrl(gateway: Pick<Gateway, 'api' | 'events' | 'replay'>, { host }: Operation): string {
  if (host === 'management') throw new Error('the gateway serves no management operations');
  return gateway[host];
}

function credential({ credential: required }: Operation, project: TestProject): Record<string, string> {
  if (required === 'public') return {};
  return {
    Authorization: `Bearer ${['access-token', 'console'].includes(required) ? project.member : project.key}`,
  };
}

function bodyOf(operation: Operation, given: unknown): { body?: string | Uint8Array<ArrayBuffer> } {
  if (given instanceof Uint8Array) return { body: new Uint8Array(given) };
  const media = operation.request?.body?.content['application/json'];
  const body = given ?? (media !== undefined && 'example' in media ? media.example : undefined);
  return body === undefined ? {} : { body: JSON.stringify(body) };
}
