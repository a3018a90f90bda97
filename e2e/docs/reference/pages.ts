import { alertsPage } from './alerts.ts';
import { asvsPage } from './asvs.ts';
import { brokerUsersPage } from './broker-users.ts';
import { databaseUsersPage } from './database-users.ts';
import { metricsPage } from './metrics.ts';
import { permissionsPage } from './permissions.ts';
import { settingsPage } from './settings.ts';

interface ReferencePage {
  /** The path in the repository. */
  path: string;
  text(): string | Promise<string>;
}

/** The generated pages of docs/reference. */
export const referencePages: readonly ReferencePage[] = [
  { path: 'docs/reference/alerts.md', text: alertsPage },
  { path: 'docs/reference/asvs.md', text: asvsPage },
  { path: 'docs/reference/broker-users.md', text: brokerUsersPage },
  { path: 'docs/reference/database-users.md', text: databaseUsersPage },
  { path: 'docs/reference/metrics.md', text: metricsPage },
  { path: 'docs/reference/permissions.md', text: permissionsPage },
  { path: 'docs/reference/settings.md', text: settingsPage },
];
