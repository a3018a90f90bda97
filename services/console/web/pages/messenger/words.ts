import { t } from '../../app/i18n.ts';
import type { Change, Member, Prompt } from './draft.ts';

/** The titles of the settings. */
export const settingTitles = (): Record<string, string> => ({
  enabled: t('Messenger'),
  skin: t('Skin'),
  accentColor: t('Accent colour'),
  launcherPosition: t('Position'),
  launcherOffsetX: t('Distance to the side'),
  launcherOffsetY: t('Distance to the bottom'),
  launcherShape: t('Launcher shape'),
  launcherFill: t('Launcher fill'),
  launcherContent: t('Launcher content'),
  launcherSize: t('Launcher size'),
  bubbleShape: t('Bubble shape'),
  bubbleFill: t('Bubble fill'),
  composerShape: t('Text field'),
  namePlacement: t('Names of teammates'),
  nameAvatar: t('Pictures beside turns'),
  stampPlacement: t('Times'),
  stampContent: t('Format of times'),
  dayDividers: t('Dates between days'),
  team: t('Team'),
  availability: t('Hours'),
  greeting: t('Greeting'),
  awayMessage: t('Away message'),
  starterPrompts: t('Starter prompts'),
  on: t('Article search'),
  placement: t('Place of article search'),
});

/** The titles of named values. */
const valueTitles = (): Record<string, string> => ({
  plain: t('Plain'),
  light: t('Always light'),
  dark: t('Always dark'),
  soft: t('Soft'),
  bold: t('Bold'),
  right: t('Right'),
  left: t('Left'),
  circle: t('Circle'),
  rounded: t('Rounded'),
  square: t('Square'),
  pill: t('Pill'),
  solid: t('Solid'),
  gradient: t('Gradient'),
  outline: t('Outline'),
  icon: t('Icon'),
  text: t('Text'),
  both: t('Icon and text'),
  avatars: t('Pictures of the team'),
  medium: t('Medium'),
  small: t('Small'),
  large: t('Large'),
  round: t('Round'),
  tail: t('With a tail'),
  line: t('Line'),
  above: t('Above'),
  below: t('Below'),
  inside: t('Inside'),
  beside: t('Beside'),
  none: t('Not shown'),
  time: t('Time'),
  datetime: t('Date and time'),
  relative: t('Relative'),
  red: t('Red'),
  orange: t('Orange'),
  warm: t('Warm'),
  yellow: t('Yellow'),
  green: t('Green'),
  teal: t('Teal'),
  cool: t('Cool'),
  blue: t('Blue'),
  violet: t('Violet'),
  purple: t('Purple'),
  pink: t('Pink'),
  gray: t('Grey'),
  tab: t('In a tab of its own'),
  first_view: t('In the first view'),
  while_typing: t('While a visitor types'),
});

/** Returns the title of a named value, such as "Icon and text". */
export const valueTitle = (value: string): string => valueTitles()[value] ?? value;

/** Says a value of a change in words. */
export function valueWords({ path }: Change, value: unknown): string {
  const name = path.at(-1) ?? '';
  if (value === undefined || value === '') return t('nothing');
  if (typeof value === 'boolean') return value ? t('on') : t('off');
  if (name === 'team' && Array.isArray(value))
    return value.length === 0
      ? t('nothing')
      : value
          .map(({ name: person, initials, tone, avatarUrl }: Member) =>
            [
              person,
              initials,
              tone,
              avatarUrl == null ? '' : t('picture {name}', { name: shortOf(avatarUrl) }),
            ]
              .filter((one) => one !== '')
              .join(', '),
          )
          .join(' · ');
  if (name === 'starterPrompts' && Array.isArray(value))
    return value.length === 0
      ? t('nothing')
      : value.map(({ html, text }: Prompt) => `${html} → ${text}`).join(' · ');
  if (name === 'availability')
    return value === null ? t('always') : value === false ? t('never') : JSON.stringify(value);
  if (typeof value === 'string' && path[0] !== 'texts') return valueTitle(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Returns the beginning of a picture's hash. A new picture has none. */
const shortOf = (avatarUrl: string) => /\/([0-9a-f]{8})[0-9a-f]{56}\.\w+$/.exec(avatarUrl)?.[1] ?? t('new');
