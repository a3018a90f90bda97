export { byPair } from './by-pair.ts';
export { collectAtRest } from './collect-at-rest.ts';
export { keepStringsFast } from './fast-strings.ts';
export { keepTicksFast } from './fast-ticks.ts';
export { freeBuffer, freeBytes, freeViews } from './free.ts';
export {
  growHeapBy,
  MALLOC_SETTINGS,
  SEMI_SPACE_FLAG,
  SEMI_SPACE_MIB,
  shareOfHeap,
  YOUNG_BYTES,
} from './heap.ts';
export { type Member, Members } from './members.ts';
export { buffersMovedWith, moved } from './moved.ts';
export { giveScratch, takeScratch } from './scratch.ts';
export { estimateSize } from './size.ts';
export { allocateYoung } from './young.ts';
