import { createClient, ManagementError } from '@switchboard/management';
import type { Call } from '@switchboard/mcp';
import type { Logger } from '@switchboard/runtime';

interface Caller {
  token: string;
  /** The address that the caller's requests are counted by. */
  address: string;
}

/** Returns a function that calls the API with the caller's token. */
export type CallAs = (caller: Caller) => Call;

interface ApiOptions {
  /** The API host. */
  apiUrl: string;
  /** The address of each service, which also serves its part of the API. Default: the API host. */
  urls?: Readonly<Record<string, string>> | undefined;
  logger: Pick<Logger, 'failed'>;
  /** The time limit of a call in milliseconds. Default: CALL_MS. */
  callMs?: number | undefined;
}

/** Less than the gateway waits for a response. */
const CALL_MS = 30_000;

/** Creates the calls of the API. Only the log names the address and the cause if the API cannot be reached. */
export function createCallAs({ apiUrl, urls = {}, logger, callMs = CALL_MS }: ApiOptions): CallAs {
  const url = (service: string) => urls[service] ?? apiUrl;
  return ({ token, address }) => {
    // The gateway retries lost connections, and the model decides about the rest.
    const { untyped } = createClient({ url, token, isConsole: true, timeoutMs: callMs, retryForMs: 0 });
    return async (operation, input, options) => {
      try {
        const headers = { ...input?.headers, 'X-Forwarded-For': address };
        return await untyped.call(operation, { ...input, headers }, options);
      } catch (error) {
        if (!(error instanceof ManagementError) || error.status !== undefined) throw error;
        // The beginning of the message is the path, which may contain personal data.
        logger.failed('call the API', new Error(`${operation}: ${error.message.split(': ').at(-1)}`));
        throw new ManagementError('The API does not answer. Try again in a minute.');
      }
    };
  };
}
