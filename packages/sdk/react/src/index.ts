'use client';

export {
  SwitchboardProvider,
  type SwitchboardProviderProps,
  useFlag,
  useFlags,
  useInbox,
  useSwitchboard,
  useTrack,
} from './hooks.ts';
