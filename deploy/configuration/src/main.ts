import { writeFile } from 'node:fs/promises';
import { configurationPage } from './configuration.ts';
import { page } from './page.ts';

await writeFile(page, configurationPage());
