import { createStateStore } from '@switchboard/user-state';
import type { FlagsService } from '../config.ts';
import { createEvaluation, type Evaluation } from '../evaluation/evaluation.ts';
import { evaluationRoutes } from '../evaluation/routes.ts';
import type { Rulesets } from '../rulesets/rulesets.ts';
import { snapshotRoutes } from '../snapshot/routes.ts';
import { createSnapshots } from '../snapshot/snapshot.ts';
import type { Tallies } from '../usage/tallies.ts';
import { createCatchUp } from '../user-state/catch-up.ts';
import type { StateChanges } from '../user-state/changes.ts';
import { createKnownPeople } from '../user-state/known-people.ts';
import { createUserStateStore } from '../user-state/store.ts';
import { createUserState } from '../user-state/user-state.ts';

/** Opens the evaluation of flags for known people, and snapshots for servers that evaluate themselves. */
export function openEvaluation(
  { app, config, database, metrics }: FlagsService,
  { rulesets, changes, tallies }: { rulesets: Rulesets; changes: StateChanges; tallies: Tallies },
): Evaluation {
  const { findStates: find } = createUserStateStore(database);
  const userState = createUserState({ find, timeoutMs: config.STATE_TIMEOUT_MS });
  const people = createKnownPeople({ userState, changes });
  const evaluation = createEvaluation({ rulesets, people, tallies });
  metrics.cache('rulesets', rulesets.reads);
  metrics.cache('flag answers', evaluation.reads);
  metrics.cache('user states', people.reads);
  const { listPositions } = createStateStore(database);
  const catchUp = createCatchUp({ listPositions, onNextChange: changes.onNextChange });
  evaluationRoutes(app, { evaluation, catchUp });
  snapshotRoutes(app, { snapshots: createSnapshots({ rulesets, publicUrl: config.PUBLIC_API_URL }) });
  return evaluation;
}
