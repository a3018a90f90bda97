import { isObject, listOf, textOf } from './values.ts';

/** The supported values of the named settings, with their aliases. The first is used for an unknown value. */
export const CHOICES = {
  skin: { plain: ['auto'], light: [], dark: [], soft: ['tinted'], bold: ['accent'] },
  launcherPosition: { right: ['bottom-right'], left: ['bottom-left'] },
  launcherShape: { circle: ['round'], rounded: [], square: [], pill: [] },
  launcherFill: { solid: [], gradient: [], soft: [], outline: [] },
  launcherContent: { icon: [], text: ['label'], both: ['icon-text'], avatars: ['avatar', 'team'] },
  launcherSize: { medium: ['m'], small: ['s'], large: ['l'] },
  bubbleShape: { round: ['circle'], rounded: [], square: [], tail: [] },
  bubbleFill: { solid: [], gradient: [], soft: [], outline: [] },
  composerShape: { round: ['pill', 'circle'], rounded: [], square: [], line: ['underline'] },
  namePlacement: { above: ['top'], below: ['bottom'], inside: [], none: ['hidden'] },
  stampPlacement: { below: ['bottom'], above: ['top'], inside: [], beside: ['side'], none: ['hidden'] },
  stampContent: { time: [], datetime: ['date-time'], relative: ['ago'] },
} as const;

export type Setting = keyof typeof CHOICES;
export type Look = Record<Setting, string>;

export interface Member {
  name: string;
  initials: string;
  tone: string;
  /** Path of the avatar endpoint. */
  avatarUrl: string | undefined;
}

export interface Prompt {
  html: string;
  text: string;
}

/** The configuration of the messenger for this visitor, read from outside and checked. */
export interface Config {
  version: string;
  look: Look;
  offsetX: number;
  offsetY: number;
  accent: string;
  availability: unknown;
  nameAvatar: boolean;
  dayDividers: boolean;
  greeting: string;
  awayMessage: string;
  prompts: Prompt[];
  team: Member[];
  socketUrl: string;
  attachments: { enabled: boolean; maxBytes: number; accept: string[] };
}

const MAX_OFFSET = 400;
const DEFAULT_OFFSET = 20;

/** Parses a configuration. Returns undefined if the messenger is off or the value is not a configuration. */
export function parseConfig(value: unknown): Config | undefined {
  if (!isObject(value) || value['enabled'] !== true) return undefined;
  const choose = (setting: Setting) => choice(setting, value[setting]);
  const files = isObject(value['attachments']) ? value['attachments'] : {};
  return {
    version: textOf(value['version']),
    look: {
      skin: choose('skin'),
      launcherPosition: choose('launcherPosition'),
      launcherShape: choose('launcherShape'),
      launcherFill: choose('launcherFill'),
      launcherContent: choose('launcherContent'),
      launcherSize: choose('launcherSize'),
      bubbleShape: choose('bubbleShape'),
      bubbleFill: choose('bubbleFill'),
      composerShape: choose('composerShape'),
      namePlacement: choose('namePlacement'),
      stampPlacement: choose('stampPlacement'),
      stampContent: choose('stampContent'),
    },
    offsetX: offset(value['launcherOffsetX']),
    offsetY: offset(value['launcherOffsetY']),
    accent: textOf(value['accentColor']),
    availability: value['availability'],
    nameAvatar: value['nameAvatar'] !== false,
    dayDividers: value['dayDividers'] !== false,
    greeting: textOf(value['greeting']).trim(),
    awayMessage: textOf(value['awayMessage']).trim(),
    prompts: listOf(value['starterPrompts']).flatMap((one) =>
      isObject(one) && textOf(one['text']).trim() !== ''
        ? [{ html: textOf(one['html']), text: textOf(one['text']) }]
        : [],
    ),
    team: listOf(value['team']).flatMap((one) => (isObject(one) ? [member(one)] : [])),
    socketUrl: textOf(value['socketUrl']),
    attachments: {
      enabled: files['enabled'] === true,
      maxBytes: typeof files['maxBytes'] === 'number' ? files['maxBytes'] : 0,
      accept: listOf(files['accept']).filter((type) => typeof type === 'string'),
    },
  };
}

function choice(setting: Setting, value: unknown): string {
  const names: [string, readonly string[]][] = Object.entries(CHOICES[setting]);
  const wanted = textOf(value).toLowerCase();
  const found = names.find(([name, others]) => name === wanted || others.includes(wanted));
  return (found ?? names[0])?.[0] ?? '';
}

/** Returns an offset in pixels, limited so that the launcher stays on the page. */
const offset = (value: unknown) =>
  typeof value === 'number' ? Math.min(MAX_OFFSET, Math.max(0, Math.round(value))) : DEFAULT_OFFSET;

const member = (one: Record<string, unknown>): Member => ({
  name: textOf(one['name']),
  initials: textOf(one['initials']),
  tone: textOf(one['tone']),
  avatarUrl: avatarPath(one['avatarUrl']),
});

/** Returns a path of the API. A configuration must not make visitors load from other hosts. */
export function avatarPath(value: unknown): string | undefined {
  const path = textOf(value);
  return /^\/v1\/messenger\/avatar\/[^?#]+$/.test(path) ? path : undefined;
}
