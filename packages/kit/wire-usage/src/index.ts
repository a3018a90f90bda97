export { openWireUsage } from './open-wire-usage.ts';
