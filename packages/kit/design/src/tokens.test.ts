import { describe, expect, test } from 'vitest';
import { colours, scale, series, tokens } from './tokens.ts';

type Triple = readonly [number, number, number];

const linear = (channel: number) =>
  channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
const rgb = (hex: string): Triple => {
  const channel = (at: number) => linear(Number.parseInt(hex.slice(at, at + 2), 16) / 255);
  return [channel(1), channel(3), channel(5)];
};
const times = (matrix: readonly Triple[], [x, y, z]: Triple): Triple => {
  const row = (at: number) => {
    const [a = 0, b = 0, c = 0] = matrix[at] ?? [];
    return a * x + b * y + c * z;
  };
  return [row(0), row(1), row(2)];
};

/** Computes the WCAG 2.2 contrast ratio from the relative luminance. */
function contrast(one: string, other: string): number {
  const luminance = ([red, green, blue]: Triple) => 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  const [darker = 0, lighter = 0] = [luminance(rgb(one)), luminance(rgb(other))].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/** Machado, Oliveira and Fernandes 2009, severity 1, in linear RGB. */
const VISION: Record<string, readonly Triple[]> = {
  full: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};
/** A just noticeable difference is 0.02. */
const APART = 0.08;
const distance = (one: Triple, other: Triple) =>
  Math.hypot(...one.map((part, axis) => part - (other[axis] ?? 0)));

const LMS: Triple[] = [
  [0.4122214708, 0.5363325363, 0.0514459929],
  [0.2119034982, 0.6806995451, 0.1073969566],
  [0.0883024619, 0.2817188376, 0.6299787005],
];
const LAB: Triple[] = [
  [0.2104542553, 0.793617785, -0.0040720468],
  [1.9779984951, -2.428592205, 0.4505937099],
  [0.0259040371, 0.7827717662, -0.808675766],
];
/** Converts a colour to Ottosson's OKLab, as a person with this vision sees it. */
function seen(colour: string, vision: readonly Triple[]): Triple {
  const clipped = times(vision, rgb(colour)).map((part) => Math.min(1, Math.max(0, part)));
  const [l = 0, m = 0, s = 0] = times(LMS, [clipped[0] ?? 0, clipped[1] ?? 0, clipped[2] ?? 0]).map(
    Math.cbrt,
  );
  return times(LAB, [l, m, s]);
}

describe.each(['light', 'dark'] as const)('the %s scheme', (scheme) => {
  const backgrounds = [colours.surface, colours.raised, colours.sunken].map((one) => one[scheme]);
  const hues = series.map((one) => one[scheme]);

  test.each(['text', 'text-muted', 'accent', 'danger', 'warning', 'good'] as const)(
    'keeps a contrast of 4.5:1 between %s and every background',
    (role) => {
      for (const background of backgrounds) {
        expect(contrast(colours[role][scheme], background), background).toBeGreaterThanOrEqual(4.5);
      }
    },
  );

  test('keeps text readable on the accent', () => {
    expect(contrast(colours['on-accent'][scheme], colours.accent[scheme])).toBeGreaterThanOrEqual(4.5);
  });

  test('keeps a contrast of 3:1 between every series and the backgrounds of charts', () => {
    for (const hue of hues) {
      expect(contrast(hue, colours.surface[scheme]), hue).toBeGreaterThanOrEqual(3);
      expect(contrast(hue, colours.raised[scheme]), hue).toBeGreaterThanOrEqual(3);
    }
  });

  test.each(Object.entries(VISION))('keeps series apart with %s vision', (_, vision) => {
    const points = hues.map((hue) => seen(hue, vision));
    for (const [at, one] of points.entries()) {
      for (const other of points.slice(0, at)) {
        expect(distance(one, other), `${hues[at]}`).toBeGreaterThanOrEqual(APART);
      }
    }
  });

  test.each(Object.entries(VISION))(
    'keeps the steps of the scale, and land without a value, apart with %s vision',
    (_, vision) => {
      const steps = [colours.sunken, ...scale].map((one) => seen(one[scheme], vision));
      for (const [at, one] of steps.slice(1).entries()) {
        expect(distance(one, steps[at] ?? one), `step ${at + 1}`).toBeGreaterThanOrEqual(APART);
      }
    },
  );

  test('raises the contrast of the scale with the page from step to step', () => {
    const ratios = scale.map((one) => contrast(one[scheme], colours.raised[scheme]));
    expect(ratios).toEqual(ratios.toSorted((one, other) => one - other));
  });
});

test('gives each role both schemes as a custom property', () => {
  for (const [role, { light, dark }] of Object.entries(colours)) {
    expect(tokens).toContain(`--${role}:light-dark(${light},${dark})`);
  }
});
