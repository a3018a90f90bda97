import { writeFile } from 'node:fs/promises';
import { OPERATIONS_FILE, operationsSource } from './operations.ts';

await writeFile(OPERATIONS_FILE, operationsSource());
