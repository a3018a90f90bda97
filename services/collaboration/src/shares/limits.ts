/**
 * Returns the limits of shares per hour, which bound the e-mails that a member can cause. Comments that mention people
 * have the same limits, counted apart. RATE_LIMITS_MULTIPLIER multiplies them.
 */
export function shareLimits(multiplier: number) {
  return { perPerson: 60 * multiplier, perCompany: 300 * multiplier };
}

export type ShareLimits = ReturnType<typeof shareLimits>;
