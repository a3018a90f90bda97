export type Colour = readonly [red: number, green: number, blue: number];

const WHITE: Colour = [255, 255, 255];
const BLACK: Colour = [0, 0, 0];
const FALLBACK: Colour = [51, 85, 255];
const READABLE = 4.6;

/** Returns the colour that the browser computes from a CSS colour, or a blue if it is invalid or not in sRGB. */
export function colourOf(css: string, probe: HTMLElement): Colour {
  if (css === '' || !CSS.supports('color', css)) return FALLBACK;
  probe.style.color = css;
  const [red, green, blue, alpha] = (getComputedStyle(probe).color.match(/^rgba?\((.*)\)$/)?.[1] ?? '')
    .split(/[\s,/]+/)
    .map(Number);
  probe.style.color = '';
  if (red === undefined || green === undefined || blue === undefined || alpha === 0) return FALLBACK;
  return [red, green, blue];
}

const mix = (a: Colour, b: Colour, part: number): Colour => [
  a[0] + (b[0] - a[0]) * part,
  a[1] + (b[1] - a[1]) * part,
  a[2] + (b[2] - a[2]) * part,
];

/** Computes the relative luminance of WCAG 2. */
function luminance(colour: Colour): number {
  const [red = 0, green = 0, blue = 0] = colour.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

export function contrast(a: Colour, b: Colour): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((one, other) => other - one);
  return (light + 0.05) / (dark + 0.05);
}

/** Moves the colour towards another until it is readable on the ground. */
function readable(colour: Colour, ground: Colour, towards: Colour, least: number): Colour {
  for (let part = 0; part < 1; part += 0.04) {
    const moved = mix(colour, towards, part);
    if (contrast(moved, ground) >= least) return moved;
  }
  return towards;
}

const css = (colour: Colour) => `rgb(${colour.map(Math.round).join(' ')})`;

/** Returns the colours of the widget as custom properties, derived from the accent so that every text is readable. */
export function paletteOf(accent: Colour, isDark: boolean, isTinted: boolean): Record<string, string> {
  const tint = isTinted ? 0.06 : 0;
  const ground: Colour = isDark ? [23, 25, 31] : WHITE;
  const surface = mix(ground, accent, tint);
  const sunken = mix(isDark ? [36, 39, 48] : [242, 243, 247], accent, tint * 1.4);
  const onAccent = contrast(WHITE, accent) >= READABLE ? WHITE : BLACK;
  const fill = onAccent === BLACK ? readable(accent, BLACK, WHITE, READABLE) : accent;
  const towards = isDark ? WHITE : BLACK;
  const soft = mix(surface, accent, isDark ? 0.26 : 0.12);
  return {
    '--surface': css(surface),
    '--sunken': css(sunken),
    '--line': css(mix(isDark ? [55, 59, 70] : [226, 228, 235], accent, tint)),
    '--edge': css(isDark ? [132, 138, 153] : [128, 134, 148]),
    '--ink': css(isDark ? [237, 239, 244] : [22, 24, 30]),
    '--quiet': css(readable(isDark ? [165, 171, 185] : [96, 102, 117], sunken, towards, READABLE)),
    '--accent': css(fill),
    '--accent-deep': css(mix(fill, onAccent === WHITE ? BLACK : WHITE, 0.24)),
    '--on-accent': css(onAccent),
    '--accent-soft': css(soft),
    '--on-soft': css(readable(accent, soft, towards, READABLE)),
    '--accent-text': css(readable(accent, sunken, towards, READABLE)),
    '--accent-edge': css(readable(accent, surface, towards, 3.1)),
    '--wrong': css(readable([200, 36, 44], sunken, towards, READABLE)),
    '--good': css(isDark ? [76, 195, 138] : [26, 135, 84]),
  };
}

/** The hues of the tones, by name. */
const TONES: Record<string, number> = {
  red: 4,
  warm: 18,
  orange: 28,
  yellow: 46,
  green: 145,
  teal: 175,
  cool: 205,
  blue: 222,
  violet: 262,
  purple: 280,
  pink: 330,
};
const GREYS = ['gray', 'grey', 'neutral'];

/** Returns the background and text colours of a person's initials: by tone, or by name for an unknown tone. */
export function toneOf(tone: string, name: string): Record<string, string> {
  const wanted = tone.toLowerCase();
  let hash = 0;
  for (const character of name) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 360;
  const hue = TONES[wanted] ?? hash;
  const saturation = GREYS.includes(wanted) ? 4 : 62;
  return { '--tone': `hsl(${hue} ${saturation}% 88%)`, '--on-tone': `hsl(${hue} ${saturation}% 22%)` };
}
