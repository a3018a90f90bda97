import type { WireOperation } from '@switchboard/contracts';
import { Rejection } from '@switchboard/http';
import type { Lose } from '@switchboard/other-products';
import type { Metrics } from '@switchboard/runtime';
import type { Rejections } from '../rejections/rejections.ts';

/** Returns the function that counts lost parts of the requests of an operation. */
export type CountLosses = (projectId: string, operation: WireOperation) => Lose;

/** Counts lost parts of requests of other products in a metric and in the log of rejections. */
export function createLosses(metrics: Metrics, rejections: Pick<Rejections, 'add'>): CountLosses {
  const counter = metrics.counterBy(
    'switchboard_wire_losses_total',
    'Parts of accepted requests of SDKs of other products that are not kept, by wire and part.',
    ['wire', 'part'],
  );
  return (projectId, { wire, operationId }) =>
    (what, reason = `${what}: not kept`) => {
      counter.add([wire, what]);
      rejections.add({ projectId, operationId, rejection: new Rejection(400, 'NOT_KEPT', reason) });
    };
}
