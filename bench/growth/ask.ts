import type { Program } from '@switchboard/testkit';
import { applyLoad, countOf, type LoadRequest } from '../lib/load.ts';

/** Stands in a request for a number that is different in each. */
export const NUMBER = 'N'.repeat(10);

const WARM_UP = 100;
const ASKED = 60;
const MAX_SECONDS = 4;
/** Requests of a call to `ask` with numbers from `first` on. */
export const NUMBERS_ASKED = WARM_UP + ASKED;

/** The median of some requests, one after the other, in milliseconds. */
export async function ask(program: Program, request: LoadRequest, firstNumber = 0): Promise<number> {
  const plan = {
    port: program.port,
    headers: {},
    connections: 1,
    seconds: MAX_SECONDS,
    requests: [request],
    placeholder: NUMBER,
  };
  await applyLoad({ ...plan, firstNumber, count: WARM_UP });
  const result = await applyLoad({ ...plan, firstNumber: firstNumber + WARM_UP, count: ASKED });
  const failed = countOf(result, (status) => status < 200 || status >= 400);
  if (failed > 0) throw new Error(`${request.path}: ${JSON.stringify(result.statuses)}`);
  return result.latency.p50;
}
