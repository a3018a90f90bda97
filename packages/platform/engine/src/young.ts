import { setFlagsFromString } from 'node:v8';

/**
 * Lets V8 allocate every object in the young generation. Otherwise, once most objects of an expression have survived, it
 * allocates all later ones of that expression in the old generation, where short-lived ones are costly. For a process
 * that first fills a cache and then makes the same objects for single requests. Call it at the start.
 */
export function allocateYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}
