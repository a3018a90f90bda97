export { applyChanges, groupOf, positionAfter } from './apply.ts';
export { createUserStateConsumer, USER_STATE_TOPICS } from './consumer.ts';
export { decodeRecord, InvalidRecord } from './decode.ts';
export { SEEN_BACKFILLS, unseenPeople } from './maintenance.ts';
export { removeProjectState } from './removal.ts';
export { type AppliedPosition, createStateStore, type PersonKey } from './store.ts';
