import { interfaceOperations, type Operation } from '@switchboard/contracts';
import type { Gateway } from './gateway.ts';
import type { TrialProject } from './project.ts';

export interface CallOptions {
  params?: Record<string, string>;
  query?: Record<string, string>;
  /** Instead of the contract's example: JSON, or bytes as they are. */
  body?: unknown;
  headers?: Record<string, string>;
}

export interface Answer {
  status: number;
  headers: Headers;
  /** Parsed where it is JSON, else the text. */
  body: unknown;
}

export type Call = (operationId: string, options?: CallOptions) => Promise<Answer>;

export function operationOf(operationId: string): Operation {
  const found = interfaceOperations.find((operation) => operation.operationId === operationId);
  if (found === undefined) throw new Error(`there is no operation ${operationId}`);
  return found;
}

/** Calls operations through the gateway with a project's credentials, and the contracts' examples as bodies. */
export function calling(gateway: Pick<Gateway, 'api' | 'events' | 'replay'>, project: TrialProject): Call {
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
  if (host === 'management') throw new Error('the gateway serves no management');
  return gateway[host];
}

function credential({ credential: asked }: Operation, project: TrialProject): Record<string, string> {
  if (asked === 'public') return {};
  return { Authorization: `Bearer ${asked === 'access-token' ? project.member : project.key}` };
}

function bodyOf(operation: Operation, given: unknown): { body?: string | Uint8Array<ArrayBuffer> } {
  if (given instanceof Uint8Array) return { body: new Uint8Array(given) };
  const media = operation.request?.body?.content['application/json'];
  const body = given ?? (media !== undefined && 'example' in media ? media.example : undefined);
  return body === undefined ? {} : { body: JSON.stringify(body) };
}
