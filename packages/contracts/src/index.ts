export * from './analytics/alert-preview.ts';
export * from './analytics/alerts.ts';
export * from './analytics/amounts.ts';
export * from './analytics/conditions.ts';
export * from './analytics/dictionary.ts';
export { type Formula, parseFormula } from './analytics/formula.ts';
export * from './analytics/groups.ts';
export { type LiveEventsMessage, liveEventsMessage, streamEvents } from './analytics/live-events.ts';
export * from './analytics/operations.ts';
export * from './analytics/people.ts';
export * from './analytics/query.ts';
export * from './analytics/report-content.ts';
export * from './analytics/run-requests.ts';
export * from './analytics/runs.ts';
export * from './analytics/sql.ts';
export * from './archive/files.ts';
export * from './asyncapi.ts';
export * from './catalogue.ts';
export * from './cohorts.ts';
export * from './collaboration/annotations.ts';
export * from './collaboration/comments.ts';
export * from './collaboration/dashboard-links.ts';
export * from './collaboration/dashboard-reports.ts';
export * from './collaboration/dashboards.ts';
export * from './collaboration/public-links.ts';
export * from './collaboration/shares.ts';
export * from './collaboration/subscriptions.ts';
export * from './collaboration/thread-inbox.ts';
export * from './collaboration/threads.ts';
export * from './console.ts';
export * from './delivery/watched-cohorts.ts';
export * from './delivery/webhooks.ts';
export * from './event-log/access.ts';
export * from './event-log/acls.ts';
export * from './extra-routes.ts';
export * from './fields/fields.ts';
export * from './fields/json.ts';
export * from './fields/rfc3339.ts';
export * from './fields/text.ts';
export * from './fields/unparsed-items.ts';
export * from './flag-hooks/call.ts';
export * from './flag-hooks/hooks.ts';
export * from './flag-usage/report.ts';
export * from './flag-usage/usage.ts';
export * from './flags.ts';
export * from './identity/invitations.ts';
export * from './identity/sign-in.ts';
export * from './identity/signing-keys.ts';
export * from './ingestion/calls.ts';
export * from './ingestion/events.ts';
export * from './ingestion/operations.ts';
export * from './ingestion/records.ts';
export * from './ingestion/rejections.ts';
export * from './ingestion/replay.ts';
export * from './ingestion/state-token.ts';
export * from './ingestion/traits.ts';
export * from './live/channels.ts';
export * from './live/clients.ts';
export {
  type FlagsMessage,
  flagsMessage,
  type MessengerMessage,
  messengerMessage,
  type RefetchEvaluation,
  refetchEvaluation,
  subscribe,
  type VisitorSignal,
  visitorSignal,
} from './live/messages.ts';
export * from './management/analytics.ts';
export * from './management/audit.ts';
export * from './management/catalogue.ts';
export * from './management/collaboration.ts';
export * from './management/dead-letters.ts';
export * from './management/directory.ts';
export * from './management/erasures.ts';
export * from './management/events.ts';
export * from './management/flags/change-requests.ts';
export * from './management/flags/flag-history.ts';
export * from './management/flags/flags.ts';
export * from './management/flags/scheduled-changes.ts';
export * from './management/imports.ts';
export * from './management/lists.ts';
export * from './management/messenger.ts';

export * from './management/replays.ts';
export * from './management/tokens.ts';
export * from './memberships.ts';
export * from './messenger/agents.ts';
export { MESSENGER_CHOICES } from './messenger/appearance.ts';
export * from './messenger/attachments.ts';
export * from './messenger/configuration.ts';
export * from './messenger/conversation-imports.ts';
export * from './messenger/conversation-records.ts';
export * from './messenger/conversations.ts';
export * from './messenger/inbox.ts';
export * from './messenger/live-conversations.ts';
export * from './messenger/own-conversations.ts';
export * from './messenger/push.ts';
export * from './messenger/satisfaction.ts';
export * from './messenger/settings.ts';
export * from './messenger/support.ts';
export * from './ofrep.ts';
export * from './openapi.ts';
export * from './operation/audit.ts';
export * from './operation/error-responses.ts';
export * from './operation/operation.ts';
export * from './operation/permissions.ts';
export * from './operations.ts';
export * from './people/joins.ts';
export * from './people/topic.ts';
export * from './throttles.ts';
export * from './usage.ts';
export { type Problem, problemsOf } from './validation/problems.ts';
export * from './wires/names.ts';
export * from './wires/usage.ts';
export * from './wires/wires.ts';
