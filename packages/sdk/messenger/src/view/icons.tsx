/** Line icons on a canvas of 24 by 24. */
const PATHS = {
  chat: 'M12 3.5c-5 0-9 3.4-9 7.7 0 2.3 1.2 4.4 3.1 5.8-.1 1.2-.6 2.4-1.5 3.3 1.8.1 3.5-.5 4.8-1.6.8.2 1.7.3 2.6.3 5 0 9-3.4 9-7.7s-4-7.8-9-7.8Z',
  close: 'M6 6l12 12M18 6 6 18',
  down: 'M5.5 9l6.5 6.5L18.5 9',
  back: 'M14.5 5 7.5 12l7 7',
  next: 'M9.5 5l7 7-7 7',
  send: 'M12 19V5.5M5.5 12 12 5.5l6.5 6.5',
  clip: 'M20 11.5l-7.8 7.8a5 5 0 0 1-7.1-7.1l8.3-8.3a3.4 3.4 0 0 1 4.8 4.8l-8.3 8.3a1.7 1.7 0 0 1-2.4-2.4l7.4-7.4',
  file: 'M13.5 3H7.5A1.5 1.5 0 0 0 6 4.5v15A1.5 1.5 0 0 0 7.5 21h9a1.5 1.5 0 0 0 1.5-1.5v-12ZM13.5 3v4.5H18',
  load: 'M12 4.5v10.5M7 10.5l5 5 5-5M5 19.5h14',
} as const;

export type IconName = keyof typeof PATHS;

/** Icons that depend on the text direction. */
const TURNING: readonly IconName[] = ['back', 'next'];

export const Icon = ({ name }: { name: IconName }) => (
  <svg class={TURNING.includes(name) ? 'icon turning' : 'icon'} viewBox="0 0 24 24" aria-hidden="true">
    <path d={PATHS[name]} />
  </svg>
);
