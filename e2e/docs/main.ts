import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { REPOSITORY } from '../harness/repository.ts';
import { chartFile, chartSettings } from './reference/chart.ts';
import { referencePages } from './reference/pages.ts';

for (const { path, text } of referencePages) await writeFile(join(REPOSITORY, path), await text());
await writeFile(chartFile, chartSettings());
