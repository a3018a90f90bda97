import { writeFile } from 'node:fs/promises';
import { managementTypes, managementTypesFile } from '../packages/management-types.ts';
import { brokerUsersPage } from './broker-users.ts';
import { chartFile, chartSettings } from './chart.ts';
import { brokerUsersFile, permissionsFile, settingsFile } from './page.ts';
import { permissionsPage } from './permissions.ts';
import { settingsPage } from './settings.ts';

await writeFile(settingsFile, settingsPage());
await writeFile(permissionsFile, permissionsPage());
await writeFile(brokerUsersFile, brokerUsersPage());
await writeFile(chartFile, chartSettings());
await writeFile(managementTypesFile, managementTypes());
