import { writeFile } from 'node:fs/promises';
import { chartFile, chartSettings } from './chart.ts';
import { configurationPage } from './configuration.ts';
import { page } from './page.ts';

await writeFile(page, configurationPage());
await writeFile(chartFile, chartSettings());
