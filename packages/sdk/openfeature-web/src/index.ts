export { type Options, SwitchboardProvider, type Tracker } from './provider.ts';
