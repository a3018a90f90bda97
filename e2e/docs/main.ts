import { writeFile } from 'node:fs/promises';
import { chartFile, chartSettings } from './chart.ts';
import { configurationPage } from './configuration.ts';
import { configurationFile, permissionsFile } from './page.ts';
import { permissionsPage } from './permissions.ts';

await writeFile(configurationFile, configurationPage());
await writeFile(permissionsFile, permissionsPage());
await writeFile(chartFile, chartSettings());
