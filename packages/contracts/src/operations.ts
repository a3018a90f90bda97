import * as alertPreviews from './analytics/alert-preview.ts';
import * as managedAlerts from './analytics/alerts.ts';
import * as managedDictionary from './analytics/dictionary.ts';
import * as groups from './analytics/groups.ts';
import * as liveEvents from './analytics/live-events.ts';
import * as analytics from './analytics/operations.ts';
import * as people from './analytics/people.ts';
import * as sqlQueries from './analytics/sql.ts';
import * as catalogue from './catalogue.ts';
import * as annotations from './collaboration/annotations.ts';
import * as dashboardLinks from './collaboration/dashboard-links.ts';
import * as dashboardReports from './collaboration/dashboard-reports.ts';
import * as managedDashboards from './collaboration/dashboards.ts';
import * as publicLinks from './collaboration/public-links.ts';
import * as shares from './collaboration/shares.ts';
import * as managedSubscriptions from './collaboration/subscriptions.ts';
import * as threadInbox from './collaboration/thread-inbox.ts';
import * as threads from './collaboration/threads.ts';
import * as console from './console.ts';
import * as webhooks from './delivery/webhooks.ts';
import * as flagHookCalls from './flag-hooks/call.ts';
import * as managedFlagHooks from './flag-hooks/hooks.ts';
import * as usageReports from './flag-usage/report.ts';
import * as managedFlagUsage from './flag-usage/usage.ts';
import * as flags from './flags.ts';
import * as invitations from './identity/invitations.ts';
import * as signIn from './identity/sign-in.ts';
import * as signingKeys from './identity/signing-keys.ts';
import * as ingestion from './ingestion/operations.ts';
import * as managedFlagClients from './live/clients.ts';
import * as managedAnalytics from './management/analytics.ts';
import * as managedAudit from './management/audit.ts';
import * as managedCatalogue from './management/catalogue.ts';
import * as managedCollaboration from './management/collaboration.ts';
import * as managedDeadLetters from './management/dead-letters.ts';
import * as managedDirectory from './management/directory.ts';
import * as managedErasures from './management/erasures.ts';
import * as managedEvents from './management/events.ts';
import * as managedChangeRequests from './management/flags/change-requests.ts';
import * as managedFlagHistory from './management/flags/flag-history.ts';
import * as managedFlags from './management/flags/flags.ts';
import * as managedScheduledChanges from './management/flags/scheduled-changes.ts';
import * as managedImports from './management/imports.ts';
import * as managedLists from './management/lists.ts';
import * as managedMessenger from './management/messenger.ts';
import * as managedReplays from './management/replays.ts';
import * as managedTokens from './management/tokens.ts';
import * as agents from './messenger/agents.ts';
import * as attachments from './messenger/attachments.ts';
import * as configuration from './messenger/configuration.ts';
import * as conversationImports from './messenger/conversation-imports.ts';
import * as conversations from './messenger/conversations.ts';
import * as inbox from './messenger/inbox.ts';
import * as liveConversations from './messenger/live-conversations.ts';
import * as ownConversations from './messenger/own-conversations.ts';
import * as agentPushes from './messenger/push.ts';
import * as satisfaction from './messenger/satisfaction.ts';
import * as settings from './messenger/settings.ts';
import * as managedSupport from './messenger/support.ts';
import * as ofrep from './ofrep.ts';
import { twinOf } from './operation/console-twin.ts';
import type { Operation, ServiceName } from './operation/operation.ts';
import * as managedPeople from './people/joins.ts';
import * as managedThrottles from './throttles.ts';
import * as managedUsage from './usage.ts';

function isOperation(exported: unknown): exported is Operation {
  return typeof exported === 'object' && exported !== null && 'operationId' in exported;
}

function operationsOf(...modules: object[]): readonly Operation[] {
  return modules.flatMap((module) => Object.values(module).filter(isOperation));
}

/** The 40 operations of the public API. */
export const interfaceOperations = operationsOf(
  catalogue,
  annotations,
  publicLinks,
  shares,
  threads,
  settings,
  conversations,
  attachments,
  inbox,
  configuration,
  flags,
  ingestion,
);

/** The operations of the management API. The gateway does not route them. */
export const managementOperations = operationsOf(
  managedCatalogue,
  managedDirectory,
  managedThrottles,
  signIn,
  signingKeys,
  invitations,
  managedTokens,
  managedErasures,
  managedLists,
  managedAnalytics,
  managedDictionary,
  managedAlerts,
  managedCollaboration,
  managedDashboards,
  managedSubscriptions,
  managedMessenger,
  managedSupport,
  conversationImports,
  agents,
  agentPushes,
  managedFlags,
  managedFlagHistory,
  managedFlagUsage,
  managedFlagClients,
  managedScheduledChanges,
  managedChangeRequests,
  managedFlagHooks,
  managedPeople,
  managedReplays,
  managedUsage,
  managedEvents,
  managedImports,
  managedDeadLetters,
  managedAudit,
  webhooks,
);

const twins = new Map(
  managementOperations.flatMap((operation) => {
    const twin = twinOf(operation);
    return twin === undefined ? [] : [[operation, twin] as const];
  }),
);

/** The management operations that users of the console may call: a twin of every operation that some role allows. */
export const consoleOperations: readonly Operation[] = [...twins.values()];

/**
 * Returns the forms in which an operation is served: at its own path and at that of its twin for the console, if any.
 */
export function servedAs(operation: Operation): readonly Operation[] {
  const twin = twins.get(operation);
  return twin === undefined ? [operation] : [operation, twin];
}

/**
 * The operations that the gateway routes: the public API, a visitor's own conversations, insights, OFREP for third-party
 * clients, the hooks of flags, and the console's.
 */
export const publicOperations: readonly Operation[] = [
  ...interfaceOperations,
  ...operationsOf(
    ownConversations,
    satisfaction,
    liveConversations,
    analytics,
    alertPreviews,
    dashboardLinks,
    dashboardReports,
    threadInbox,
    liveEvents,
    people,
    sqlQueries,
    groups,
    ofrep,
    usageReports,
    flagHookCalls,
    console,
  ),
  ...consoleOperations,
];

/** Every operation. */
export const operations: readonly Operation[] = [...publicOperations, ...managementOperations];

/** Returns every operation of a service, including management. */
export function serviceOperations(service: ServiceName): readonly Operation[] {
  return operations.filter((operation) => operation.service === service);
}
