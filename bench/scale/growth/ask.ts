import type { Program } from '@switchboard/testkit';
import { applyLoad, countOf, type LoadRequest } from '../../lib/load/load.ts';

/** The placeholder in a request for a number that is different each time. */
export const NUMBER = 'N'.repeat(10);

const WARM_UP = 400;
/** The number of warm-up requests when requests use up numbers. */
const WARM_UP_NUMBERS = 100;
const ASKED = 60;
const WARM_UP_SECONDS = 2;
const MAX_SECONDS = 4;

/** Sends some requests one after another, and returns the median latency in milliseconds. */
export async function ask(program: Program, request: LoadRequest, firstNumber = 0): Promise<number> {
  const plan = {
    port: program.port,
    headers: {},
    connections: 1,
    seconds: MAX_SECONDS,
    requests: [request],
    placeholder: NUMBER,
  };
  const isNumbered = JSON.stringify(request).includes(NUMBER);
  const warmUp = isNumbered ? WARM_UP_NUMBERS : WARM_UP;
  await applyLoad({ ...plan, firstNumber, count: warmUp, seconds: WARM_UP_SECONDS });
  const result = await applyLoad({ ...plan, firstNumber: firstNumber + warmUp, count: ASKED });
  const failed = countOf(result, (status) => status < 200 || status >= 400);
  if (failed > 0) throw new Error(`${request.path}: ${JSON.stringify(result.statuses)}`);
  return result.latency.p50;
}
