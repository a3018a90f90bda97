export { annotations } from './annotations.ts';
export { comments, reactions, threadReads, threads } from './comments.ts';
export { dashboards } from './dashboards.ts';
export { dashboardLinks, type LinksTable, publicLinks } from './public-links.ts';
export { reportRunCohorts, reportRunFailures, reportRunHistory, reportRuns } from './runs.ts';
export { deliveries, droppedEndpoints, shares } from './shares.ts';
export { subscribers, subscriptionChannels, subscriptionMails, subscriptions } from './subscriptions.ts';
