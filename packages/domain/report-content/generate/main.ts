import { writeFile } from 'node:fs/promises';
import { SHAPES_FILE, shapesSource } from './shapes.ts';

await writeFile(SHAPES_FILE, await shapesSource());
