export { applyChanges, groupOf, positionAfter } from './apply.ts';
export { createUserStateConsumer, USER_STATE_TOPICS } from './consumer.ts';
export { decodeRecord, InvalidRecord } from './decode.ts';
export {
  eraseIds,
  JoinConflict,
  joinPersons,
  otherIdsOf,
  type PersonWithIds,
  partIds,
  readPerson,
} from './joins/joins.ts';
export { removeDecider, removeProjectJoins, unseenPersons } from './joins/maintenance.ts';
export { joinOf } from './joins/rule.ts';
export { createJoinsStore, executeOn } from './joins/store.ts';
export { unseenPeople } from './maintenance.ts';
export type { PersonKey } from './person-key.ts';
export { removeProjectState } from './removal.ts';
export { type AppliedPosition, createStateStore, savePosition } from './store.ts';
