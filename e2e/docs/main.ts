import { writeFile } from 'node:fs/promises';
import { managementTypes, managementTypesFile } from '../packages/management-types.ts';
import { brokerUsersPage } from './broker-users.ts';
import { chartFile, chartSettings } from './chart.ts';
import { configurationPage } from './configuration.ts';
import { brokerUsersFile, configurationFile, permissionsFile } from './page.ts';
import { permissionsPage } from './permissions.ts';

await writeFile(configurationFile, configurationPage());
await writeFile(permissionsFile, permissionsPage());
await writeFile(brokerUsersFile, brokerUsersPage());
await writeFile(chartFile, chartSettings());
await writeFile(managementTypesFile, managementTypes());
