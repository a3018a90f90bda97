import { isTooSlow, isUnavailable } from '@switchboard/database';
import { applyChanges, type Rejection, tryStatements } from './apply.ts';
import type { StateChange } from './decode.ts';
import type { AppliedPosition, StateStore } from './store.ts';

/**
 * The maximum number of changes per transaction. It limits the transaction, because people and groups are limited.
 */
const MAX_CHANGES = 100;
/** The attempts in addition to the one with the other changes. */
const ATTEMPTS_ALONE = 2;

/**
 * Applies changes and saves the position. A change is rejected if it repeatedly fails alone while the same statements
 * succeed without rows. The others are applied. Throws if the database is unavailable.
 */
export async function applyEach(
  store: Pick<StateStore, 'update'>,
  changes: readonly StateChange[],
  position: AppliedPosition,
  signal: AbortSignal,
): Promise<Rejection[]> {
  const rejections: Rejection[] = [];
  for (let from = 0; from < changes.length; from += MAX_CHANGES) {
    const slice = changes.slice(from, from + MAX_CHANGES);
    const isLast = from + MAX_CHANGES >= changes.length;
    try {
      rejections.push(...(await applyChanges(store, slice, isLast ? position : undefined)));
    } catch (error) {
      await rethrowUnlessOfChange(store, error);
      rejections.push(...(await applyOneByOne(store, slice, signal)));
      if (isLast) await applyChanges(store, [], position);
    }
  }
  if (changes.length === 0) await applyChanges(store, [], position);
  return rejections;
}

/** Retries failed changes after the others, so that the others do not wait. */
async function applyOneByOne(
  store: Pick<StateStore, 'update'>,
  changes: readonly StateChange[],
  signal: AbortSignal,
): Promise<Rejection[]> {
  const rejections: Rejection[] = [];
  let left = changes;
  for (let attempt = 1; left.length > 0; attempt++) {
    const failed: StateChange[] = [];
    for (const change of left) {
      signal.throwIfAborted();
      try {
        rejections.push(...(await applyChanges(store, [change])));
      } catch (error) {
        await rethrowUnlessOfChange(store, error);
        if (attempt < ATTEMPTS_ALONE) failed.push(change);
        else rejections.push({ change, reason: `not stored: ${codeOf(error)}` });
      }
    }
    left = failed;
  }
  return rejections;
}

async function rethrowUnlessOfChange(store: Pick<StateStore, 'update'>, error: unknown): Promise<void> {
  if (isUnavailable(error) && !isTooSlow(error)) throw error;
  await tryStatements(store);
}

/** Returns the SQLSTATE, which contains no data, unlike the message. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error.cause === undefined ? error.name : codeOf(error.cause);
}
