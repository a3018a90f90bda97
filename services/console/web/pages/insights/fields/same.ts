/** Returns options that are titled after their values. */
export const same = <T extends string>(values: readonly T[]) =>
  values.map((value) => ({ value, title: value.replaceAll('_', ' ') }));
