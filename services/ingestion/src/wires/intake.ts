import { eventBatch, groupCall, identifyCall } from '@switchboard/contracts';
import { type ProjectAccess, Rejection, type Throttle, validate } from '@switchboard/http';
import type { Fields, Lose, WireItem } from '@switchboard/other-products';
import { type EventLine, eventLines } from '../events/event-lines.ts';
import type { Events } from '../events/events.ts';
import type { Identify } from '../identify/identify.ts';
import type { JoinLimit } from '../identify/join-limit.ts';

interface AcceptOptions {
  /** The time of sending by the client's clock. */
  sentAt: string;
  lose: Lose;
}

/** Publishes messages of other products as calls of our own API. */
export interface WireIntake {
  /**
   * Resolves once the event log has stored the items. Items that our API would reject are counted as lost. Returns
   * the reasons.
   */
  accept(project: ProjectAccess, items: readonly WireItem[], options: AcceptOptions): Promise<string[]>;
}

interface WireIntakeOptions {
  events: Events;
  calls: Identify;
  joins: JoinLimit;
  throttle: Throttle;
}

export function createWireIntake({ events, calls, joins, throttle }: WireIntakeOptions): WireIntake {
  async function identify(projectId: string, fields: Fields, isOnce?: boolean): Promise<void> {
    const call = validate(identifyCall, fields, { where: 'identify' });
    const isJoining = Boolean(call.properties?.anonymous_id) && (await joins.allows(projectId));
    await calls.identify(projectId, call, isJoining, isOnce);
  }

  async function group(projectId: string, fields: Fields): Promise<void> {
    await calls.group(projectId, validate(groupCall, fields, { where: 'group' }));
  }

  return {
    async accept(project, items, { sentAt, lose }) {
      throttle.charge(project, items.length);
      const reasons: string[] = [];
      const drop = (kind: WireItem['kind'], error: unknown) => {
        // Anything else is not the fault of the item.
        if (!(error instanceof Rejection) || (error.status !== 400 && error.status !== 413)) throw error;
        const reason = `${kind}: ${error.message}`;
        reasons.push(reason);
        lose(`invalid ${kind}`, reason);
      };
      const lines: EventLine[] = [];
      const storing: Promise<unknown>[] = [];
      for (const { kind, call, isOnce } of items) {
        if (kind !== 'event') {
          const stored = kind === 'identify' ? identify(project.id, call, isOnce) : group(project.id, call);
          storing.push(stored.catch((error: unknown) => drop(kind, error)));
          continue;
        }
        try {
          lines.push(...eventLines(validate(eventBatch, { events: [call], sent_at: sentAt }, WHERE)).lines);
        } catch (error) {
          drop(kind, error);
        }
      }
      if (lines.length > 0) storing.push(events.accept(project.id, { sentAt, lines }));
      await Promise.all(storing);
      return reasons;
    },
  };
}

const WHERE = { where: 'event' };
