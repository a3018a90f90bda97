export { className } from './classes.ts';
export { drawMap, type MapDrawing } from './map.ts';
export { MAP_SIZE } from './shapes.ts';
